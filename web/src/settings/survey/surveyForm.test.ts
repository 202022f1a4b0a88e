import { expect, it } from 'vitest'
import { bodyOf, draftOf, offerOf, replyTo, same } from './surveyForm'

const stored = {
  enabled: true,
  question: 'How was it?',
  low_question: null,
  thanks: 'Thanks!',
  sector_ids: ['sales'],
  delay_minutes: 5,
  min_days: 30,
  valid_hours: 48,
}

it('stores what it shows', () => {
  expect(bodyOf(draftOf(stored))).toEqual(stored)
  expect(same(draftOf(stored), draftOf({ ...stored }))).toBe(true)
})

it('sends no empty text, and leaves empty numbers to the server', () => {
  expect(
    bodyOf({
      ...draftOf(stored),
      question: ' How was it? ',
      lowQuestion: '  ',
      delay: null,
      minDays: null,
      validHours: null,
    }),
  ).toEqual({
    enabled: true,
    question: 'How was it?',
    low_question: null,
    thanks: 'Thanks!',
    sector_ids: ['sales'],
    delay_minutes: 0,
  })
})

it('shows a list of five ratings', () => {
  const rows = offerOf('How was it?').list?.sections[0]?.rows
  expect(rows?.map((row) => row.title)).toEqual([
    '1 ★',
    '2 ★★',
    '3 ★★★',
    '4 ★★★★',
    '5 ★★★★★',
  ])
})

it('asks for a comment after a low rating only', () => {
  const texts = { lowQuestion: 'What can we improve?', thanks: 'Thanks!' }
  expect(replyTo(3, texts)).toEqual({ text: texts.lowQuestion, asks: true })
  expect(replyTo(4, texts)).toEqual({ text: texts.thanks, asks: false })
  expect(replyTo(1, { ...texts, lowQuestion: '' })).toEqual({
    text: texts.thanks,
    asks: false,
  })
})
