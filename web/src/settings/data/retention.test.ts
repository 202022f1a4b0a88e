// @vitest-environment jsdom
import i18next from 'i18next'
import { beforeAll, expect, it } from 'vitest'
import data from '../../locales/data/en.json'
import { deletedTexts } from './retention'

beforeAll(() =>
  i18next.init({ lng: 'en', resources: { en: { translation: data } } }),
)

it('a preview counts each kind of thing that would be deleted', () => {
  expect(
    deletedTexts(
      { messages: 1, notes: 2, media: 0, media_bytes: 0, audit: 1500 },
      i18next.t,
    ),
  ).toEqual(['1 message', '2 notes', '1,500 audit entries'])
})
