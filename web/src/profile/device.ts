/** The first that fits is taken: most browsers also name those that they resemble. */
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

/** device names the browser and the system of a User-Agent header, or gives null where it names neither. */
export function device(userAgent: string): string | null {
  const find = (all: [RegExp, string][]) =>
    all.find(([pattern]) => pattern.test(userAgent))?.[1]
  return (
    [find(browsers), find(systems)].filter(Boolean).join(' · ') ||
    userAgent.slice(0, 60) ||
    null
  )
}
