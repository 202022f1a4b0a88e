import i18next from 'i18next'
import { beforeAll, describe, expect, it } from 'vitest'
import {
  draftOf,
  formatCnpj,
  formatCpf,
  isCnpj,
  isCpf,
  keyOf,
  linkOf,
  parseNumber,
  readDrafts,
  valueOf,
} from './values'
import type { CustomField } from '../api/types'

beforeAll(() => i18next.init({ lng: 'en', resources: {} }))

describe('CPF', () => {
  it('is formatted while it is typed', () => {
    expect(formatCpf('1')).toBe('1')
    expect(formatCpf('1114')).toBe('111.4')
    expect(formatCpf('1114447')).toBe('111.444.7')
    expect(formatCpf('11144477735')).toBe('111.444.777-35')
    expect(formatCpf('111.444.777-359')).toBe('111.444.777-35')
  })

  it('has two check digits', () => {
    expect(isCpf('111.444.777-35')).toBe(true)
    expect(isCpf('529.982.247-25')).toBe(true)
    expect(isCpf('111.444.777-36')).toBe(false)
    expect(isCpf('111.111.111-11')).toBe(false)
    expect(isCpf('111.444.777')).toBe(false)
  })
})

describe('CNPJ', () => {
  it('is formatted while it is typed', () => {
    expect(formatCnpj('112')).toBe('11.2')
    expect(formatCnpj('11222333')).toBe('11.222.333')
    expect(formatCnpj('112223330')).toBe('11.222.333/0')
    expect(formatCnpj('11222333000181')).toBe('11.222.333/0001-81')
    expect(formatCnpj('12abc34501de35')).toBe('12.ABC.345/01DE-35')
    expect(formatCnpj('12ABC34501DEX')).toBe('12.ABC.345/01DE')
  })

  it('may contain letters and has two check digits', () => {
    expect(isCnpj('11.222.333/0001-81')).toBe(true)
    expect(isCnpj('11.222.333/0001-82')).toBe(false)
    expect(isCnpj('12.ABC.345/01DE-35')).toBe(true)
    expect(isCnpj('12.ABC.345/01DF-35')).toBe(false)
    expect(isCnpj('00.000.000/0000-00')).toBe(false)
  })
})

it('reads numbers as people write them', async () => {
  expect(parseNumber('1,234.5')).toBe(1234.5)
  expect(parseNumber('-2')).toBe(-2)
  expect(parseNumber('two')).toBe(null)
  await i18next.changeLanguage('pt-BR')
  expect(parseNumber('1.234,5')).toBe(1234.5)
  expect(parseNumber('0,5')).toBe(0.5)
  expect(parseNumber('0.5')).toBe(0.5)
  expect(draftOf({ type: 'number' }, 0.5)).toBe('0,5')
  await i18next.changeLanguage('en')
})

it('completes addresses and accepts only those of the web', () => {
  expect(linkOf('example.com/a')).toBe('https://example.com/a')
  expect(linkOf('http://example.com')).toBe('http://example.com')
  expect(linkOf('javascript:alert(1)')).toBe(null)
  expect(linkOf('nothing')).toBe(null)
})

it('proposes a key', () => {
  expect(keyOf('Número do pedido')).toBe('numero_do_pedido')
  expect(keyOf('  CPF/CNPJ  ')).toBe('cpf_cnpj')
  expect(keyOf('a'.repeat(40))).toBe('a'.repeat(32))
})

it('says what is wrong with a draft, and clears an empty one', () => {
  expect(valueOf({ type: 'cpf' }, '111')).toEqual({ wrong: 'cpf' })
  expect(valueOf({ type: 'number' }, 'x')).toEqual({ wrong: 'number' })
  expect(valueOf({ type: 'bool' }, 'false')).toEqual({ value: false })
  expect(valueOf({ type: 'text' }, '  ')).toEqual({ value: null })
})

it('returns only the changed values of a form', () => {
  const field = (key: string, type: CustomField['type']) =>
    ({ key, type }) as CustomField
  const fields = [
    field('order', 'text'),
    field('amount', 'number'),
    field('document', 'cpf'),
    field('member', 'bool'),
  ]
  expect(
    readDrafts(
      fields,
      { order: 'A1', amount: '', document: '11', member: 'true' },
      { order: 'A1', amount: 7, member: true },
    ),
  ).toEqual({ values: { amount: null }, wrong: { document: 'cpf' } })
})
