import type { ScheduledContent } from '../../api/types'
import { instant, localTime } from '../../ui/format'

const minute = 60_000
const day = 24 * 60 * minute

export type LaterPreset = { id: 'hour' | 'tomorrow' | 'monday'; local: string }

/** laterPresets returns common send times in the company's time zone, in the format of a datetime-local input. */
export function laterPresets(now: Date): LaterPreset[] {
  const [today = ''] = localTime(now).split('T')
  const midnight = Date.parse(`${today}T00:00Z`)
  const nine = (days: number) =>
    `${new Date(midnight + days * day).toISOString().slice(0, 10)}T09:00`
  const toMonday = (8 - new Date(midnight).getUTCDay()) % 7 || 7
  return [
    { id: 'hour', local: localTime(new Date(now.getTime() + 60 * minute)) },
    { id: 'tomorrow', local: nine(1) },
    ...(toMonday > 1 ? [{ id: 'monday' as const, local: nine(toMonday) }] : []),
  ]
}

/** laterProblem returns what is wrong with a time: the server accepts 1 minute to 90 days ahead. */
export function laterProblem(local: string, now: Date): 'past' | 'far' | null {
  const ahead = instant(local).getTime() - now.getTime()
  if (!(ahead >= minute)) return 'past'
  return ahead > 90 * day ? 'far' : null
}

/** laterContent returns the composer's content, as made by written, as one message, or null if it would be several. */
export function laterContent(
  text: string,
  files: { media: string; caption: string }[],
): ScheduledContent | null {
  const [file, ...more] = files
  if (!file) return { text }
  if (more.length > 0 || text) return null
  const caption = file.caption.trim()
  return { media_id: file.media, ...(caption ? { text: caption } : {}) }
}
