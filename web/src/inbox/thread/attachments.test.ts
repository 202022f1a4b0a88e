import { expect, it } from 'vitest'
import type { Message } from '../../api/types'
import {
  mapAddress,
  parseContacts,
  parseLocation,
  webAddress,
} from './attachments'
import { canForward, forwardBody } from './forward'
import { pictureSize } from './pictureSize'
import { zoomed } from './useZoom'

it('reads locations and links to a map', () => {
  const masp = parseLocation(
    'MASP, Av. Paulista, 1578, São Paulo (-23.5613, -46.6565)',
  )
  expect(masp).toEqual({
    name: 'MASP',
    address: 'Av. Paulista, 1578, São Paulo',
    point: '-23.5613,-46.6565',
  })
  expect(mapAddress(masp)).toBe(
    'https://www.google.com/maps/search/?api=1&query=-23.5613%2C-46.6565',
  )
  expect(parseLocation('-23.5, -46')).toEqual({
    name: '',
    address: '',
    point: '-23.5,-46',
  })
  expect(mapAddress(parseLocation('Loja & Cia, Rua 1'))).toMatch(
    /query=Loja%20%26%20Cia%2C%20Rua%201$/,
  )
})

it('reads contact cards', () => {
  expect(
    parseContacts(
      'Bruna: +55 11 95555-7003, (11) 3333-4444, b@x.com, Padaria\nSó Nome\n+5511955557003',
    ),
  ).toEqual([
    {
      name: 'Bruna',
      phones: ['+55 11 95555-7003', '(11) 3333-4444'],
      more: 'b@x.com, Padaria',
    },
    { name: 'Só Nome', phones: [], more: '' },
    { name: '', phones: ['+5511955557003'], more: '' },
  ])
  expect(parseContacts('')).toEqual([])
})

it('opens only web addresses', () => {
  expect(webAddress('https://fb.me/a')).toBe('https://fb.me/a')
  for (const text of ['javascript:alert(1)', 'fb.me', '', null])
    expect(webAddress(text)).toBeNull()
})

it('crops tall and wide pictures and reserves their space', () => {
  expect(pictureSize({ width: 600, height: 1600 })).toEqual({
    width: 264,
    height: 352,
  })
  expect(pictureSize({ width: 1600, height: 200 })).toEqual({
    width: 330,
    height: 186,
  })
  expect(pictureSize({ width: 20, height: 20 }).width).toBe(180)
  expect(pictureSize({ width: null, height: null }).height).toBe(200)
})

it('zooms towards the pointer, and back to the whole picture', () => {
  const whole = { scale: 1, x: 0, y: 0 }
  const close = zoomed(whole, 2, { x: 100, y: -50 })
  expect(close).toEqual({ scale: 2, x: -100, y: 50 })
  expect(zoomed(close, 100, { x: 0, y: 0 }).scale).toBe(6)
  expect(zoomed(close, 0.1, { x: 7, y: 7 })).toEqual(whole)
})

it('forwards text, files and voice messages', () => {
  const message = (part: Partial<Message>) =>
    ({ type: 'text', text: null, media_id: null, ...part }) as Message
  expect(forwardBody(message({ text: 'Oi' }))).toEqual({ text: 'Oi' })
  expect(
    forwardBody(message({ type: 'audio', media_id: 'm', voice: true })),
  ).toEqual({ media_id: 'm', voice: true })
  expect(canForward(message({ text: 'Oi' }))).toBe(true)
  expect(canForward(message({ text: 'Oi', revoked_at: 'now' }))).toBe(false)
  expect(canForward(message({}))).toBe(false)
})
