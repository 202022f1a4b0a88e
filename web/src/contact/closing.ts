import { Failure } from '../api/client'
import type { ClosingReason } from '../api/types'

/** Closing is what a person says when closing a case: a reason of the company and a note, or a text. */
export type Closing = { reason_id?: string; note?: string; reason?: string }

/** fitting returns the reasons that can be chosen for cases of these departments. undefined is an unknown department. */
export const fitting = (
  reasons: ClosingReason[],
  sectors: (string | null | undefined)[],
): ClosingReason[] =>
  reasons.filter(
    (one) =>
      one.active &&
      (one.sector_ids.length === 0 ||
        sectors.every((sector) => sector && one.sector_ids.includes(sector))),
  )

/** named returns the reason whose name was typed in full. */
export const named = (reasons: ClosingReason[], text: string) =>
  reasons.find(
    (one) => one.name.toLocaleLowerCase() === text.trim().toLocaleLowerCase(),
  ) ?? null

/** needsAnswers reports whether closing failed because a reason or a field is missing, which the closing dialog asks for. */
export const needsAnswers = (error: unknown): boolean =>
  error instanceof Failure &&
  (error.code === 'reason_required' || error.code === 'field_required')
