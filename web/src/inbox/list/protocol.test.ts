// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { protocolIn } from './protocol'

it('parses protocol numbers as people type them', () => {
  expect(
    [
      'ATD-000123',
      ' atd-123 ',
      '000123',
      '123',
      'atd123',
      'ATD-P000002',
      'p2',
    ].map(protocolIn),
  ).toEqual([
    'ATD-000123',
    'ATD-123',
    'ATD-000123',
    'ATD-123',
    'ATD-123',
    'ATD-P000002',
    'ATD-P2',
  ])
  expect(['', 'Lia', '11912345678', '12a', 'ATD-'].map(protocolIn)).toEqual([
    null,
    null,
    null,
    null,
    null,
  ])
})
