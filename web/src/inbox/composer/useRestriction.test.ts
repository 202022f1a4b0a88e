// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { conversation } from '../../../test/fixtures'
import { restricts } from './useRestriction'

it('reports who can reply', () => {
  const rules = {
    mode: 'restricted' as const,
    first_responder_takes_ownership: true,
  }
  const agent = { id: 'me', role: 'agent' as const }
  const of = (assignee: string | null) => conversation('a', '1', { assignee })
  expect(restricts(rules, of('other'), agent)).toBe(true)
  expect(restricts(rules, of('me'), agent)).toBe(false)
  expect(restricts(rules, of(null), agent)).toBe(false)
  expect(
    restricts(
      { ...rules, first_responder_takes_ownership: false },
      of(null),
      agent,
    ),
  ).toBe(true)
  expect(restricts(rules, of('other'), { id: 'me', role: 'manager' })).toBe(
    false,
  )
  expect(restricts({ ...rules, mode: 'liberal' }, of('other'), agent)).toBe(
    false,
  )
  expect(
    restricts(
      rules,
      conversation('a', '1', { assignee: 'other', attendance: null }),
      agent,
    ),
  ).toBe(false)
})
