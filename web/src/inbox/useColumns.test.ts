// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { readColumns } from './useColumns'

it('opens the columns that were not closed', () => {
  expect(readColumns(null)).toEqual({ views: true, details: true })
  expect(readColumns('')).toEqual({ views: true, details: true })
  expect(readColumns('views')).toEqual({ views: false, details: true })
  expect(readColumns('views details')).toEqual({ views: false, details: false })
})
