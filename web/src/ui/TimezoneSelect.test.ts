// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { findZones } from './TimezoneSelect'

it('finds time zones by accented names and lists the current one first', () => {
  const options = [
    'Africa/Abidjan',
    'America/Sao_Paulo',
    'America/Porto_Velho',
    'Europe/London',
  ].map((zone) => ({ value: zone, label: zone, disabled: false }))
  const find = (search: string) =>
    findZones('Europe/London')({ options, search, limit: 2 }).map((one) =>
      'value' in one ? one.value : '',
    )
  expect(['São Paulo', 'sao_paulo', 'america/sao paulo'].map(find)).toEqual([
    ['America/Sao_Paulo'],
    ['America/Sao_Paulo'],
    ['America/Sao_Paulo'],
  ])
  expect(find('')).toEqual(['Europe/London', 'Africa/Abidjan'])
})
