import type { Interactive, SurveySettings } from '../../api/types'

/** The server's limits that the form shows. */
export const most = { question: 300, text: 1024 } as const

/** From this rating on no comment is asked for. */
const highRating = 4

/** SurveyDraft is a survey being edited. Empty numbers are null. */
export type SurveyDraft = {
  enabled: boolean
  question: string
  lowQuestion: string
  thanks: string
  sectors: string[]
  delay: number | null
  minDays: number | null
  validHours: number | null
}

export const draftOf = (survey: SurveySettings): SurveyDraft => ({
  enabled: survey.enabled,
  question: survey.question,
  lowQuestion: survey.low_question ?? '',
  thanks: survey.thanks ?? '',
  sectors: survey.sector_ids,
  delay: survey.delay_minutes,
  minDays: survey.min_days,
  validHours: survey.valid_hours,
})

/** bodyOf returns the settings to store. Empty texts are not sent, and empty numbers get their defaults. */
export const bodyOf = (draft: SurveyDraft) => ({
  enabled: draft.enabled,
  question: draft.question.trim(),
  low_question: draft.lowQuestion.trim() || null,
  thanks: draft.thanks.trim() || null,
  sector_ids: draft.sectors,
  delay_minutes: draft.delay ?? 0,
  ...(draft.minDays === null ? {} : { min_days: draft.minDays }),
  ...(draft.validHours === null ? {} : { valid_hours: draft.validHours }),
})

export const same = (a: SurveyDraft, b: SurveyDraft) =>
  JSON.stringify(a) === JSON.stringify(b)

/** rowTitle returns the title of a rating in the list, as the server sends it. */
export const rowTitle = (rating: number) => `${rating} ${'★'.repeat(rating)}`

/** offerOf returns the message with the question, as the server sends it. */
export const offerOf = (question: string): Interactive => ({
  header: null,
  body: question,
  footer: null,
  buttons: null,
  list: {
    button: '★ 1–5',
    sections: [
      {
        title: null,
        rows: [1, 2, 3, 4, 5].map((rating) => ({
          id: String(rating),
          title: rowTitle(rating),
          description: null,
        })),
      },
    ],
  },
})

/** replyTo returns what the customer receives after a rating, and whether it asks for a comment. */
export function replyTo(
  rating: number,
  { lowQuestion, thanks }: Pick<SurveyDraft, 'lowQuestion' | 'thanks'>,
): { text: string; asks: boolean } {
  const asks = rating < highRating && lowQuestion.trim() !== ''
  return { text: (asks ? lowQuestion : thanks).trim(), asks }
}
