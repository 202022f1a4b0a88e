export const unitNames = ['minutes', 'hours', 'days'] as const
export type Unit = (typeof unitNames)[number]

/** The units in minutes. */
export const units: Record<Unit, number> = {
  minutes: 1,
  hours: 60,
  days: 24 * 60,
}

/** The longest duration that the server accepts, in minutes. */
export const longest = 525_600

/** unitOf returns the largest unit that divides a duration. */
export const unitOf = (minutes: number): Unit =>
  minutes % units.days === 0
    ? 'days'
    : minutes % units.hours === 0
      ? 'hours'
      : 'minutes'
