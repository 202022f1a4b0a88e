// @vitest-environment jsdom
import i18next from 'i18next'
import { beforeAll, expect, it } from 'vitest'
import persons from '../locales/persons/en.json'
import { erasableTexts } from './erasable'

beforeAll(() =>
  i18next.init({
    lng: 'en',
    resources: { en: { translation: persons } },
    interpolation: { escapeValue: false },
  }),
)

const nothing = {
  conversations: 1,
  open_attendances: 0,
  messages: 0,
  files: 0,
  file_bytes: 0,
  notes: 0,
  drafts: 0,
  scheduled_messages: 0,
  cards: 0,
}

it('only what there is is listed', () => {
  expect(erasableTexts(nothing, i18next.t)).toEqual([])
  expect(
    erasableTexts(
      { ...nothing, messages: 1234, notes: 1, files: 2, file_bytes: 2048 },
      i18next.t,
    ),
  ).toEqual(['1,234 messages', '2 files (2 kB)', '1 note'])
})
