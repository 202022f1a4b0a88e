/** The first match wins: most browsers also name the browsers they imitate. */
const browsers: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]
const systems: [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/CrOS/, 'ChromeOS'],
  [/Linux/, 'Linux'],
]

/** device returns the browser and operating system named in a User-Agent header, or null if it names neither. */
export function device(userAgent: string): string | null {
  const find = (all: [RegExp, string][]) =>
    all.find(([pattern]) => pattern.test(userAgent))?.[1]
  return (
    [find(browsers), find(systems)].filter(Boolean).join(' · ') ||
    userAgent.slice(0, 60) ||
    null
  )
}
