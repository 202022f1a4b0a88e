import { expect, it } from 'vitest'
import type { Message } from '../../api/types'
import { canDeleteSent, canEditSent } from './sentChange'

const sent = {
  direction: 'outbound',
  type: 'text',
  status: 'delivered',
  external_id: 'A',
  sent_at: '2026-01-01T10:00:00Z',
  revoked_at: null,
} as Message
const at = (time: string) => Date.parse(`2026-01-${time}Z`)

it('edits texts for 15 minutes', () => {
  expect(canEditSent(sent, at('01T10:14:59'))).toBe(true)
  expect(canEditSent(sent, at('01T10:15:00'))).toBe(false)
  expect(canEditSent({ ...sent, type: 'image' }, at('01T10:01:00'))).toBe(false)
})

it('deletes messages for 48 hours', () => {
  expect(canDeleteSent({ ...sent, type: 'image' }, at('03T09:59:59'))).toBe(
    true,
  )
  expect(canDeleteSent(sent, at('03T10:00:00'))).toBe(false)
})

it('changes neither messages of customers nor ones that were not sent or were deleted', () => {
  for (const other of [
    { direction: 'inbound' },
    { external_id: null },
    { sent_at: null },
    { status: 'failed' },
    { revoked_at: '2026-01-01T10:00:01Z' },
  ])
    expect(
      canDeleteSent({ ...sent, ...other } as Message, at('01T10:01:00')),
    ).toBe(false)
})
