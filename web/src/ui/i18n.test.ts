// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { preferredLanguage } from './i18n'

it("prefers the stored language, then the browser's, then Portuguese", () => {
  expect(preferredLanguage(null, ['es-AR'])).toBe('es')
  expect(preferredLanguage(null, ['de'])).toBe('pt-BR')
  expect(preferredLanguage('en', ['pt'])).toBe('en')
})
