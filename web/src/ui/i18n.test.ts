// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { preferredLanguage } from './i18n'

it('takes the language of the browser', () => {
  expect(preferredLanguage(null, ['es-AR'])).toBe('es')
  expect(preferredLanguage(null, ['de'])).toBe('pt-BR')
  expect(preferredLanguage('en', ['pt'])).toBe('en')
})
