import { describe, expect, it } from 'vitest'
import {
  buttonsFit,
  countOf,
  listFits,
  listOffer,
  newRow,
  newSection,
  offerAgain,
  type ListForm,
} from './offerForm'

describe('messages with buttons or a list', () => {
  const frame = { body: 'Qual?', header: '', footer: '' }
  const button = (id: string, title: string) => ({ id, title })

  it("are limited to WhatsApp's lengths in characters", () => {
    expect(countOf('👍👍 ')).toBe(2)
    expect(
      buttonsFit({ ...frame, buttons: [button('1', 'a'.repeat(20))] }),
    ).toBe(true)
    expect(
      buttonsFit({ ...frame, buttons: [button('1', 'a'.repeat(21))] }),
    ).toBe(false)
    expect(
      buttonsFit({
        ...frame,
        header: 'a'.repeat(61),
        buttons: [button('1', 'Sim')],
      }),
    ).toBe(false)
    expect(
      buttonsFit({ ...frame, body: ' ', buttons: [button('1', 'Sim')] }),
    ).toBe(false)
    expect(
      buttonsFit({
        ...frame,
        buttons: [button('1', 'Sim'), button('2', ' Sim')],
      }),
    ).toBe(false)
    expect(buttonsFit({ ...frame, buttons: [] })).toBe(false)
  })

  it('need section titles and have at most ten rows', () => {
    const row = { ...newRow(), title: 'Pão' }
    const section = { ...newSection(), rows: [row] }
    const form: ListForm = { ...frame, button: 'Ver', sections: [section] }
    expect(listFits(form)).toBe(true)
    expect(
      listFits({
        ...form,
        sections: [section, { ...section, title: 'Doces' }],
      }),
    ).toBe(false)
    expect(
      listFits({
        ...form,
        sections: [{ ...section, rows: Array.from({ length: 11 }, () => row) }],
      }),
    ).toBe(false)
    expect(
      listFits({
        ...form,
        sections: [
          { ...section, rows: [{ ...row, description: 'a'.repeat(73) }] },
        ],
      }),
    ).toBe(false)
    expect(listOffer(form)).toEqual({
      body: 'Qual?',
      list: {
        button: 'Ver',
        sections: [{ rows: [{ id: row.id, title: 'Pão' }] }],
      },
    })
  })

  it('can be sent again', () => {
    const rows = [{ id: '1', title: 'Pão', description: null }]
    expect(
      offerAgain({
        body: 'Qual?',
        header: null,
        footer: 'Fim',
        buttons: null,
        list: { button: 'Ver', sections: [{ title: null, rows }] },
      }),
    ).toEqual({
      body: 'Qual?',
      footer: 'Fim',
      list: {
        button: 'Ver',
        sections: [{ rows: [{ id: '1', title: 'Pão' }] }],
      },
    })
  })
})
