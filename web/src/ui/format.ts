import i18next from 'i18next'

let zone: string | undefined

/** setTimeZone makes all times those of the company. */
export function setTimeZone(timeZone: string | undefined): void {
  zone = timeZone
  formats.clear()
}

const formats = new Map<string, Intl.DateTimeFormat>()

function format(name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${i18next.language} ${name}`
  let found = formats.get(key)
  if (!found) {
    found = new Intl.DateTimeFormat(i18next.language, { timeZone: zone, ...options })
    formats.set(key, found)
  }
  return found
}

type Time = string | Date

const date = (at: Time) => (typeof at === 'string' ? new Date(at) : at)

/** clock is a time of day: 09:41. */
export const clock = (at: Time) => format('clock', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(date(at))

/** dayKey names a calendar day in the company's time zone, for comparing. */
export function dayKey(at: Time): string {
  const parts = format('key', { year: 'numeric', month: '2-digit', day: '2-digit' }).formatToParts(date(at))
  const part = (type: string) => parts.find((p) => p.type === type)?.value ?? ''
  return `${part('year')}-${part('month')}-${part('day')}`
}

function relativeDay(days: number): string {
  const text = new Intl.RelativeTimeFormat(i18next.language, { numeric: 'auto' }).format(days, 'day')
  return text.charAt(0).toLocaleUpperCase(i18next.language) + text.slice(1)
}

/** day is "Today", "Yesterday", or a date. */
export function day(at: Time, now: Date = new Date()): string {
  const key = dayKey(at)
  if (key === dayKey(now)) return relativeDay(0)
  if (key === dayKey(new Date(now.getTime() - 86_400_000))) return relativeDay(-1)
  const sameYear = key.slice(0, 4) === dayKey(now).slice(0, 4)
  return sameYear
    ? format('day', { weekday: 'long', day: 'numeric', month: 'long' }).format(date(at))
    : format('dayYear', { day: 'numeric', month: 'long', year: 'numeric' }).format(date(at))
}

/** moment is the time of a list row: the clock today, else the day. */
export function moment(at: Time, now: Date = new Date()): string {
  const key = dayKey(at)
  if (key === dayKey(now)) return clock(at)
  if (key === dayKey(new Date(now.getTime() - 86_400_000))) return relativeDay(-1)
  const age = now.getTime() - date(at).getTime()
  if (age < 6 * 86_400_000) return format('weekday', { weekday: 'short' }).format(date(at))
  return format('short', { day: '2-digit', month: '2-digit', year: '2-digit' }).format(date(at))
}

/** dateAndTime is a date with its time of day. */
export const dateAndTime = (at: Time) => `${day(at)}, ${clock(at)}`

/** duration is "8 min" or "2 h 5 min", and "3 d" from two days on. */
export function duration(seconds: number): string {
  const minutes = Math.max(0, Math.floor(seconds / 60))
  if (minutes < 60) return `${minutes} min`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} d`
}

/** position is a place in a recording: 0:42. */
export function position(seconds: number): string {
  const whole = Math.max(0, Math.floor(Number.isFinite(seconds) ? seconds : 0))
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

/** fileSize is a size in the unit that fits: 2 MB. */
export function fileSize(bytes: number): string {
  const [value, unit] = bytes < 1024 ? [bytes, 'byte'] : bytes < 1024 * 1024 ? [bytes / 1024, 'kilobyte'] : [bytes / 1024 / 1024, 'megabyte']
  return new Intl.NumberFormat(i18next.language, { style: 'unit', unit, unitDisplay: unit === 'byte' ? 'long' : 'short', maximumFractionDigits: value < 10 ? 1 : 0 }).format(value)
}

/** number writes a number as the language does. */
export const number = (value: number) => new Intl.NumberFormat(i18next.language).format(value)

/** phone groups the digits of a Brazilian number and leaves others as they are. */
export function phone(e164: string | null): string {
  if (!e164) return ''
  const match = /^\+55(\d{2})(\d{4,5})(\d{4})$/.exec(e164)
  return match ? `+55 ${match[1]} ${match[2]}-${match[3]}` : e164
}
