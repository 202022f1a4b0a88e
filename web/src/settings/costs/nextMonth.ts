import i18next from 'i18next'

/** nextMonth returns the first day of the month after a day, as "1 December". */
export function nextMonth(day: string): string {
  const [year = 0, month = 0] = day.split('-').map(Number)
  return new Intl.DateTimeFormat(i18next.language, {
    day: 'numeric',
    month: 'long',
    timeZone: 'UTC',
  }).format(new Date(Date.UTC(year, month, 1)))
}
