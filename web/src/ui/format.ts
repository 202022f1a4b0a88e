import i18next from 'i18next'

let zone: string | undefined

/** setTimeZone sets the company's time zone for all formatted times. */
export function setTimeZone(timeZone: string | undefined): void {
  if (zone === timeZone) return
  zone = timeZone
  formats.clear()
  minutes.clear()
}

const formats = new Map<string, unknown>()

/** once caches a formatter per language; creating one is expensive. */
function once<T>(name: string, make: (language: string) => T): T {
  const key = `${i18next.language} ${name}`
  let found = formats.get(key) as T | undefined
  if (!found) {
    found = make(i18next.language)
    formats.set(key, found)
  }
  return found
}

const format = (name: string, options: Intl.DateTimeFormatOptions) =>
  once(
    name,
    (language) =>
      new Intl.DateTimeFormat(language, { timeZone: zone, ...options }),
  )

type Time = string | Date

const date = (at: Time) => (typeof at === 'string' ? new Date(at) : at)

/** clock formats a time of day: 09:41. */
export const clock = (at: Time) =>
  format('clock', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(date(at))

const minutes = new Map<string, string>()

/** dayKey returns the calendar day in the company's time zone, for comparisons: 2026-11-15. It is called for every line of a thread, so it must be fast. */
export function dayKey(at: Time): string {
  if (typeof at !== 'string') return keyOf(at)
  const minute = at.slice(0, 16)
  let key = minutes.get(minute)
  if (!key) minutes.set(minute, (key = keyOf(new Date(at))))
  return key
}

const keyOf = (at: Date) =>
  once(
    'key',
    () =>
      new Intl.DateTimeFormat('sv-SE', {
        timeZone: zone,
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
      }),
  ).format(at)

function relativeDay(days: number): string {
  const text = once(
    'relative',
    (language) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }),
  ).format(days, 'day')
  return text.charAt(0).toLocaleUpperCase(i18next.language) + text.slice(1)
}

let dayOf = { minute: -1, zone: zone, today: '', yesterday: '' }

/** days returns the keys of today and yesterday. It is called for every row of a list. */
function days(now: Date): { today: string; yesterday: string } {
  const minute = Math.floor(now.getTime() / 60_000)
  if (dayOf.minute !== minute || dayOf.zone !== zone)
    dayOf = {
      minute,
      zone,
      today: dayKey(now),
      yesterday: dayKey(new Date(now.getTime() - 86_400_000)),
    }
  return dayOf
}

/** day returns "Today", "Yesterday" or a date. */
export function day(at: Time, now: Date = new Date()): string {
  const key = dayKey(at)
  const { today, yesterday } = days(now)
  if (key === today) return relativeDay(0)
  if (key === yesterday) return relativeDay(-1)
  return key.slice(0, 4) === today.slice(0, 4)
    ? format('day', { weekday: 'long', day: 'numeric', month: 'long' }).format(
        date(at),
      )
    : format('dayYear', {
        day: 'numeric',
        month: 'long',
        year: 'numeric',
      }).format(date(at))
}

/** moment formats the time of a list row: the time of day if it is today, otherwise the day. */
export function moment(at: Time, now: Date = new Date()): string {
  const key = dayKey(at)
  const { today, yesterday } = days(now)
  if (key === today) return clock(at)
  if (key === yesterday) return relativeDay(-1)
  const age = now.getTime() - date(at).getTime()
  if (age < 6 * 86_400_000)
    return format('weekday', { weekday: 'short' }).format(date(at))
  return format('short', {
    day: '2-digit',
    month: '2-digit',
    year: '2-digit',
  }).format(date(at))
}

/** dateAndTime formats a date with its time of day. */
export const dateAndTime = (at: Time) => `${day(at)}, ${clock(at)}`

/** dayAndTime formats a time in the near future, short enough for a button: Mon, 11/23, 08:00. */
export const dayAndTime = (at: Time) =>
  dayKey(at) === dayKey(new Date())
    ? dateAndTime(at)
    : `${format('dayShort', { weekday: 'short', day: '2-digit', month: '2-digit' }).format(date(at))}, ${clock(at)}`

/** localTime converts a time to the company's time zone, in the format of a datetime-local input: 2026-11-15T09:41. */
export const localTime = (at: Date) =>
  once(
    'local',
    () =>
      new Intl.DateTimeFormat('sv-SE', {
        timeZone: zone,
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
        hour: '2-digit',
        minute: '2-digit',
      }),
  )
    .format(at)
    .replace(' ', 'T')

/** instant converts a local time in the company's time zone to a Date. */
export function instant(local: string): Date {
  const wanted = Date.parse(`${local}Z`)
  const shown = (at: number) => Date.parse(`${localTime(new Date(at))}Z`)
  const first = wanted - (shown(wanted) - wanted)
  return new Date(first - (shown(first) - wanted)) // corrected again in case the offset changes in between
}

/** duration formats seconds as "8 min" or "2 h 5 min", and as "3 d" from two days on. */
export function duration(seconds: number): string {
  const minutes = Math.max(0, Math.floor(seconds / 60))
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48)
    return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} d`
}

/** position formats a playback position: 0:42. */
export function position(seconds: number): string {
  const whole = Math.max(0, Math.floor(Number.isFinite(seconds) ? seconds : 0))
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

/** fileSize formats a size in a suitable unit: 2 MB. */
export function fileSize(bytes: number): string {
  const [value, unit] =
    bytes < 1024
      ? [bytes, 'byte']
      : bytes < 1024 * 1024
        ? [bytes / 1024, 'kilobyte']
        : [bytes / 1024 / 1024, 'megabyte']
  const digits = value < 10 ? 1 : 0
  return once(
    `${unit} ${digits}`,
    (language) =>
      new Intl.NumberFormat(language, {
        style: 'unit',
        unit,
        unitDisplay: unit === 'byte' ? 'long' : 'short',
        maximumFractionDigits: digits,
      }),
  ).format(value)
}

/** number formats a number in the current language. */
export const number = (value: number) =>
  once('number', (language) => new Intl.NumberFormat(language)).format(value)

/** phone formats a Brazilian phone number; other numbers are returned unchanged. */
export function phone(e164: string | null): string {
  if (!e164) return ''
  const match = /^\+55(\d{2})(\d{4,5})(\d{4})$/.exec(e164)
  return match ? `+55 ${match[1]} ${match[2]}-${match[3]}` : e164
}

/** waitTone returns the tone of a customer's waiting time: amber after 5 minutes, red after 15. */
export const waitTone = (seconds: number) =>
  seconds >= 900 ? 'red' : seconds >= 300 ? 'amber' : 'plain'
