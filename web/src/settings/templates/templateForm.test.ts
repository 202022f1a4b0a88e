import { describe, expect, it } from 'vitest'
import type { Template } from '../../api/types'
import {
  canAdd,
  copyName,
  draftOf,
  emptyDraft,
  inserted,
  marked,
  missing,
  nameOf,
  nextVariable,
  renumbered,
  requestOf,
  shownDraft,
  shownTemplate,
  withButton,
  type ButtonDraft,
} from './templateForm'

const draft = (part: object = {}) => ({
  ...emptyDraft('pt-BR'),
  title: 'Pedido pronto',
  body: 'Olá {{1}}, seu pedido {{2}} está pronto.',
  samples: { 1: 'Ana', 2: '123' },
  ...part,
})
const button = (type: ButtonDraft['type'], part: object = {}): ButtonDraft => ({
  key: type,
  type,
  text: 'Sim',
  target: '',
  sample: '',
  ...part,
})
const template: Template = {
  id: 'x',
  name: 'pedido_pronto',
  language: 'pt_BR',
  category: 'marketing',
  status: 'approved',
  quality: 'green',
  reason: null,
  reason_text: null,
  header: null,
  body: 'Olá {{nome}}, pedido {{numero}}, {{nome}}!',
  footer: 'Padaria',
  buttons: [
    { type: 'quick_reply', text: 'Obrigado', url: null, phone_number: null },
    { type: 'copy_code', text: 'Copiar', url: null, phone_number: null },
    {
      type: 'phone',
      text: 'Ligar',
      url: null,
      phone_number: '+551133334444',
    },
  ],
  parameters: [
    {
      component: 'header',
      index: 1,
      name: null,
      type: 'image',
      example: null,
    },
    {
      component: 'body',
      index: 1,
      name: 'nome',
      type: 'text',
      example: 'Ana',
    },
    {
      component: 'body',
      index: 2,
      name: 'numero',
      type: 'text',
      example: '12',
    },
  ],
}

describe('a name', () => {
  it.each([
    ['Pedido pronto', 'pedido_pronto'],
    [' Você já comprou?  2x! ', 'voce_ja_comprou_2x'],
    ['order_ready', 'order_ready'],
    ['???', ''],
  ])('is made from %j', (title, name) => expect(nameOf(title)).toBe(name))

  it.each([
    ['order_ready', 'order_ready_2'],
    ['order_ready_9', 'order_ready_10'],
  ])('of a copy of %s is %s', (name, copy) => expect(copyName(name)).toBe(copy))
})

describe('the text', () => {
  it('gets the next variable at the cursor', () => {
    expect(nextVariable('')).toBe('{{1}}')
    expect(nextVariable('{{3}} {{ 1 }}')).toBe('{{4}}')
    expect(inserted({ text: 'Olá !', start: 4, end: 4 }, '{{1}}')).toEqual({
      text: 'Olá {{1}}!',
      start: 9,
      end: 9,
    })
  })

  it('is marked and unmarked without the spaces at its ends', () => {
    const bold = marked({ text: 'tudo pronto já', start: 4, end: 12 }, '*')
    expect(bold.text).toBe('tudo *pronto* já')
    expect(bold.text.slice(bold.start, bold.end)).toBe('pronto')
    expect(marked(bold, '*').text).toBe('tudo pronto já')
    expect(marked({ text: '', start: 0, end: 0 }, '```')).toEqual({
      text: '``````',
      start: 3,
      end: 3,
    })
  })

  it('numbers its variables in order, and samples follow', () => {
    const { body, samples } = renumbered(
      draft({
        body: 'a {{5}} b {{2}} c {{5}} d',
        samples: { 2: 'two', 5: 'five' },
      }),
    )
    expect(body).toBe('a {{1}} b {{2}} c {{1}} d')
    expect(samples).toEqual({ 1: 'five', 2: 'two' })
    const same = draft()
    expect(renumbered(same)).toBe(same)
  })
})

describe('buttons', () => {
  it('stand with the quick replies first and are limited by type', () => {
    const link = button('url')
    const reply = button('quick_reply')
    expect(withButton([link], reply)).toEqual([reply, link])
    expect(withButton([reply], link)).toEqual([reply, link])
    expect(canAdd([link, link], 'url')).toBe(false)
    expect(canAdd([button('phone')], 'phone')).toBe(false)
    expect(canAdd(Array(10).fill(reply), 'quick_reply')).toBe(false)
    expect(canAdd([], 'phone')).toBe(true)
  })
})

describe('a draft', () => {
  it('becomes a request with an example for every variable', () => {
    expect(
      requestOf(
        draft({
          headerKind: 'text',
          header: 'Olá {{1}}',
          headerSample: 'Ana',
          footer: ' Padaria ',
          buttons: [
            button('quick_reply'),
            button('url', {
              text: 'Ver',
              target: 'https://x.br/{{1}}',
              sample: 'https://x.br/7',
            }),
            button('phone', { text: 'Ligar', target: '+55 11 3333-4444' }),
          ],
        }),
      ),
    ).toEqual({
      name: 'pedido_pronto',
      language: 'pt_BR',
      category: 'utility',
      header: 'Olá {{1}}',
      body: 'Olá {{1}}, seu pedido {{2}} está pronto.',
      footer: 'Padaria',
      buttons: [
        { type: 'quick_reply', text: 'Sim' },
        {
          type: 'url',
          text: 'Ver',
          url: 'https://x.br/{{1}}',
          example: 'https://x.br/7',
        },
        { type: 'phone', text: 'Ligar', phone_number: '+55 11 3333-4444' },
      ],
      examples: { body: ['Ana', '123'], header: ['Ana'] },
    })
  })

  it('has a file as the example of its header', () => {
    const request = requestOf(
      draft({
        headerKind: 'image',
        headerMedia: 'id',
        body: 'Oi',
        samples: {},
      }),
    )
    expect(request.header).toEqual({ type: 'image' })
    expect(request.examples).toEqual({ body: [], header: ['id'] })
    expect(requestOf(draft({ body: 'Oi' }))).not.toHaveProperty('examples')
  })

  it('says what is missing', () => {
    expect(missing(draft())).toEqual({})
    expect(missing(emptyDraft('en'))).toEqual({
      name: 'required',
      body: 'required',
    })
    expect(
      missing(
        draft({
          headerKind: 'text',
          header: '{{1}} {{2}}',
          body: '{{1}}, {{2}}',
          samples: { 1: 'Ana' },
          footer: 'x'.repeat(61),
          buttons: [button('url', { text: '', target: 'x.br' })],
        }),
      ),
    ).toEqual({
      header: 'variable',
      'examples.header[0]': 'sample',
      body: 'edge',
      'examples.body[1]': 'sample',
      footer: 'tooLong',
      'buttons[0].text': 'required',
      'buttons[0].url': 'url',
    })
    expect(missing(draft({ headerKind: 'video' }))).toEqual({
      'examples.header[0]': 'file',
    })
  })

  it('is shown with its samples; variables without one stay', () => {
    expect(shownDraft(draft({ samples: { 1: 'Ana' } })).body).toBe(
      'Olá Ana, seu pedido {{2}} está pronto.',
    )
    expect(shownDraft(draft({ headerKind: 'video' })).file).toBe('video')
  })
})

describe('a stored template', () => {
  it('is shown with the examples of Meta', () => {
    expect(shownTemplate(template)).toMatchObject({
      file: 'image',
      header: '',
      body: 'Olá Ana, pedido 12, Ana!',
      footer: 'Padaria',
    })
  })

  it('becomes a draft with numbers for names and without unknown buttons', () => {
    let n = 0
    expect(draftOf(template, () => String(++n))).toEqual({
      title: 'pedido_pronto_2',
      language: 'pt_BR',
      category: 'marketing',
      headerKind: 'image',
      header: '',
      headerSample: '',
      headerMedia: null,
      body: 'Olá {{1}}, pedido {{2}}, {{1}}!',
      samples: { 1: 'Ana', 2: '12' },
      footer: 'Padaria',
      buttons: [
        {
          key: '1',
          type: 'quick_reply',
          text: 'Obrigado',
          target: '',
          sample: '',
        },
        {
          key: '2',
          type: 'phone',
          text: 'Ligar',
          target: '+551133334444',
          sample: '',
        },
      ],
    })
  })
})
