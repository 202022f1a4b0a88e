// @vitest-environment jsdom
import { describe, expect, it } from 'vitest'
import type { Member, Template } from '../src/api/types'
import { gapIn, shortcutOf } from '../src/inbox/canned'
import { forgetDrafts, noteKey, ownDrafts, readDraft, saveDraft } from '../src/inbox/drafts'
import { laterContent, laterPresets, laterProblem } from '../src/inbox/later'
import { dayAfter } from '../src/inbox/MessageFilters'
import { mentionAt, mentionParts, mentionsIn } from '../src/inbox/mentions'
import { buttonsFit, countOf, listFits, listOffer, newRow, newSection, offerAgain, type ListForm } from '../src/inbox/offerForm'
import { chosenTemplate, templateOffer } from '../src/inbox/template'
import { written } from '../src/inbox/written'
import { setTimeZone } from '../src/ui/format'

const team = [{ id: '1', name: 'Ana Ribeiro' }, { id: '2', name: 'Caio Moreira' }] as Member[]

describe('mentions', () => {
  it('begin with an @ at the start of a word', () => {
    expect(mentionAt('oi @ca', 6)).toEqual({ from: 3, to: 6, text: 'ca' })
    expect(mentionAt('@É', 2)).toEqual({ from: 0, to: 2, text: 'é' })
    expect(mentionAt('ana@example', 11)).toBeNull()
  })

  it('are the people whose full names stand in the note', () => {
    expect(mentionsIn('@Ana Ribeiro pode ver? Caio Moreira sabe.', team)).toEqual(['1'])
  })
})

describe('the text of a note', () => {
  it('is cut at the people whom it mentions, the longer name first', () => {
    const parts = mentionParts('@Ana Ribeiro e @Ana, vejam', [{ id: '1', name: 'Ana' }, { id: '2', name: 'Ana Ribeiro' }])
    expect(parts.map(({ text, person }) => (person ? `[${text}]` : text)).join('')).toBe('[@Ana Ribeiro] e [@Ana], vejam')
    expect(mentionParts('@Caio sabe', [])).toEqual([{ text: '@Caio sabe', person: false }])
  })
})

describe('canned replies', () => {
  it('get a shortcut from their title', () => {
    expect(shortcutOf('Olá, João! Tudo bem com você?')).toBe('ola-joao-tudo')
    expect(shortcutOf('👍')).toBe('')
  })

  it('have gaps that follow each other', () => {
    const text = 'Setor {{sector}}, até {{protocol}}.'
    expect(gapIn(text)).toEqual({ from: 6, to: 16 })
    expect(gapIn(text, 16)).toEqual({ from: 22, to: 34 })
    expect(gapIn(text, 34)).toEqual({ from: 6, to: 16 })
  })
})

describe('a search in messages', () => {
  it('includes its last day', () => {
    expect([dayAfter('2026-12-31'), dayAfter('2028-02-28')]).toEqual(['2027-01-01', '2028-02-29'])
  })
})

describe('drafts', () => {
  it('belong to one person, and a note is kept apart from the answer', () => {
    ownDrafts('ana')
    saveDraft('c', { text: 'answer' })
    saveDraft(noteKey('c'), { text: 'internal' })
    expect([readDraft('c')?.text, readDraft(noteKey('c'))?.text]).toEqual(['answer', 'internal'])
    ownDrafts('caio')
    expect(readDraft('c')).toBeNull()
    ownDrafts('ana')
    expect(readDraft('c')?.text).toBe('answer')
    forgetDrafts()
    expect(readDraft('c')).toBeNull()
  })
})

describe('messages that are sent later', () => {
  it('are suggested by the clocks of the company', () => {
    setTimeZone('America/Sao_Paulo')
    const saturday = new Date('2026-11-14T23:30:00Z')
    expect(laterPresets(saturday)).toEqual([{ id: 'hour', local: '2026-11-14T21:30' }, { id: 'tomorrow', local: '2026-11-15T09:00' }, { id: 'monday', local: '2026-11-16T09:00' }])
    // On a Sunday tomorrow is Monday.
    expect(laterPresets(new Date('2026-11-15T12:00:00Z')).map((one) => one.id)).toEqual(['hour', 'tomorrow'])
    expect(laterPresets(new Date('2026-11-16T12:00:00Z')).at(-1)).toEqual({ id: 'monday', local: '2026-11-23T09:00' })
    expect(laterProblem('2026-11-14T20:30', saturday)).toBe('past')
    expect(laterProblem('2026-11-14T20:31', saturday)).toBeNull()
    expect(laterProblem('2027-02-13T20:30', saturday)).toBe('far')
    setTimeZone(undefined)
  })

  it('are one text or one file with its caption', () => {
    expect(laterContent('oi', [])).toEqual({ text: 'oi' })
    expect(laterContent('oi', [{ media: 'm', caption: '' }])).toEqual({ media_id: 'm', text: 'oi' })
    expect(laterContent('', [{ media: 'm', caption: ' c ' }])).toEqual({ media_id: 'm', text: 'c' })
    expect(laterContent('oi', [{ media: 'm', caption: 'c' }])).toBeNull()
    expect(laterContent('', [{ media: 'm', caption: '' }, { media: 'n', caption: '' }])).toBeNull()
  })
})

describe('messages with a choice', () => {
  const frame = { body: 'Qual?', header: '', footer: '' }
  const button = (id: string, title: string) => ({ id, title })

  it('are held to the lengths of WhatsApp, counted in characters', () => {
    expect(countOf('👍👍 ')).toBe(2)
    expect(buttonsFit({ ...frame, buttons: [button('1', 'a'.repeat(20))] })).toBe(true)
    expect(buttonsFit({ ...frame, buttons: [button('1', 'a'.repeat(21))] })).toBe(false)
    expect(buttonsFit({ ...frame, header: 'a'.repeat(61), buttons: [button('1', 'Sim')] })).toBe(false)
    expect(buttonsFit({ ...frame, body: ' ', buttons: [button('1', 'Sim')] })).toBe(false)
    expect(buttonsFit({ ...frame, buttons: [button('1', 'Sim'), button('2', ' Sim')] })).toBe(false)
    expect(buttonsFit({ ...frame, buttons: [] })).toBe(false)
  })

  it('have a title for each of several sections, and ten rows in all', () => {
    const row = { ...newRow(), title: 'Pão' }
    const section = { ...newSection(), rows: [row] }
    const form: ListForm = { ...frame, button: 'Ver', sections: [section] }
    expect(listFits(form)).toBe(true)
    expect(listFits({ ...form, sections: [section, { ...section, title: 'Doces' }] })).toBe(false)
    expect(listFits({ ...form, sections: [{ ...section, rows: Array.from({ length: 11 }, () => row) }] })).toBe(false)
    expect(listFits({ ...form, sections: [{ ...section, rows: [{ ...row, description: 'a'.repeat(73) }] }] })).toBe(false)
    expect(listOffer(form)).toEqual({ body: 'Qual?', list: { button: 'Ver', sections: [{ rows: [{ id: row.id, title: 'Pão' }] }] } })
  })

  it('are sent again as they were', () => {
    const rows = [{ id: '1', title: 'Pão', description: null }]
    expect(offerAgain({ body: 'Qual?', header: null, footer: 'Fim', buttons: null, list: { button: 'Ver', sections: [{ title: null, rows }] } })).toEqual({
      body: 'Qual?', footer: 'Fim', list: { button: 'Ver', sections: [{ rows: [{ id: '1', title: 'Pão' }] }] },
    })
  })
})

it('a template has a value for every gap, files by their ids', () => {
  const gap = { name: null, type: 'text', example: null } as const
  const template: Template = {
    id: 't', name: 'pedido', language: 'pt_BR', category: 'utility', status: 'approved', body: 'Olá {{1}}, pedido {{ 2 }}', header: null, footer: null,
    buttons: [{ type: 'url', text: 'Ver', url: 'https://example.com/{{1}}', phone_number: null }],
    parameters: [{ ...gap, component: 'header', index: 1, type: 'image' }, { ...gap, component: 'body', index: 1 }, { ...gap, component: 'body', index: 2 }, { ...gap, component: 'button', index: 1 }],
  }
  const values = { 'header.1': 'file', 'body.1': 'Ana', 'button.1': 'x7' }
  expect(templateOffer(template, values).body).toBe('Olá Ana, pedido {{ 2 }}')
  expect(chosenTemplate(template, { ...values, 'body.2': '431' }).parameters).toEqual([
    { component: 'header', media_id: 'file' }, { component: 'body', text: 'Ana' }, { component: 'body', text: '431' }, { component: 'button', text: 'x7' },
  ])
})

describe('what is written', () => {
  const files = [{ media: 'm', caption: ' the menu ' }, { media: 'n', caption: ' ' }]

  it('has the name in front of the text and of captions where the person signs, and of nothing else', () => {
    expect(written(' oi ', files, 'Ana')).toEqual({ text: '*Ana:*\noi', files: [{ media: 'm', caption: '*Ana:*\nthe menu' }, { media: 'n', caption: '' }] })
    expect(written('', [], 'Ana')).toEqual({ text: '', files: [] })
    expect(written(' oi ', files, null)).toEqual({ text: 'oi', files: [{ media: 'm', caption: 'the menu' }, { media: 'n', caption: '' }] })
  })

  it('has no name in front of a caption that would be too long with it', () => {
    const [fits, long] = ['a'.repeat(1017), 'a'.repeat(1018)]
    expect(written('', [{ caption: fits }, { caption: long }], 'Ana').files).toEqual([{ caption: `*Ana:*\n${fits}` }, { caption: long }])
  })

  it('is signed once', () => {
    expect(written('*Ana:*\noi', [], 'Ana').text).toBe('*Ana:*\noi')
  })

  it('is signed too when it is sent later', () => {
    const sent = written('', files.slice(0, 1), 'Ana')
    expect(laterContent(sent.text, sent.files)).toEqual({ media_id: 'm', text: '*Ana:*\nthe menu' })
  })
})
