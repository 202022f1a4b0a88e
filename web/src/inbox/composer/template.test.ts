import { expect, it } from 'vitest'
import type { Template } from '../../api/types'
import { chosenTemplate, templateOffer } from './template'

it('fills every template variable, with files by id', () => {
  const gap = { name: null, type: 'text', example: null } as const
  const template: Template = {
    id: 't',
    name: 'pedido',
    language: 'pt_BR',
    category: 'utility',
    status: 'approved',
    body: 'Olá {{1}}, pedido {{ 2 }}',
    header: null,
    footer: null,
    quality: null,
    reason: null,
    reason_text: null,
    buttons: [
      {
        type: 'url',
        text: 'Ver',
        url: 'https://example.com/{{1}}',
        phone_number: null,
      },
    ],
    parameters: [
      { ...gap, component: 'header', index: 1, type: 'image' },
      { ...gap, component: 'body', index: 1 },
      { ...gap, component: 'body', index: 2 },
      { ...gap, component: 'button', index: 1 },
    ],
  }
  const values = { 'header.1': 'file', 'body.1': 'Ana', 'button.1': 'x7' }
  expect(templateOffer(template, values).body).toBe('Olá Ana, pedido {{ 2 }}')
  expect(
    chosenTemplate(template, { ...values, 'body.2': '431' }).parameters,
  ).toEqual([
    { component: 'header', media_id: 'file' },
    { component: 'body', text: 'Ana' },
    { component: 'body', text: '431' },
    { component: 'button', text: 'x7' },
  ])
})
