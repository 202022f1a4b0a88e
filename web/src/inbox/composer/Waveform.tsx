import classes from './Voice.module.css'

/** The height of a bar at full volume, in pixels. */
const height = 28
const step = 4

/** resampled returns a recording's levels as a given number of bars, each the loudest of its part. */
export function resampled(levels: number[], bars: number): number[] {
  if (levels.length === 0) return Array.from({ length: bars }, () => 0)
  return Array.from({ length: bars }, (_, at) => {
    const from = Math.floor((at * levels.length) / bars)
    const to = Math.floor(((at + 1) * levels.length) / bars)
    return Math.max(...levels.slice(from, Math.max(from + 1, to)))
  })
}

/** Waveform draws levels from 0 to 1 as bars. played, from 0 to 1, marks the part that was heard. */
export function Waveform({
  levels,
  played = 0,
}: {
  levels: number[]
  played?: number
}) {
  const draw = (part: number[], from: number) =>
    part
      .map((level, at) => {
        const half = Math.max(1, (level * height) / 2)
        return `M${(from + at) * step + 2} ${height / 2 - half}v${half * 2}`
      })
      .join('')
  const heard = Math.round(levels.length * played)
  const width = levels.length * step
  return (
    <svg
      aria-hidden
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      className={classes.wave}
    >
      <path d={draw(levels.slice(heard), heard)} />
      <path data-heard d={draw(levels.slice(0, heard), 0)} />
    </svg>
  )
}
