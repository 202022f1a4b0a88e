/** The number of bars of a waveform. */
export const barCount = 44

/** Larger files are not decoded; their waveform is a plain line. */
const maxBytes = 5 << 20

/** Recordings are decoded at this rate, in samples per second: enough for bars, and cheap. */
const rate = 8000

/** levels returns the loudness of a recording in equal parts, from 0 to 1 relative to the loudest part. */
export function levels(samples: Float32Array, count = barCount): number[] {
  const size = samples.length / count
  const found = Array.from({ length: count }, (_, bar) => {
    const [from, to] = [Math.floor(bar * size), Math.floor((bar + 1) * size)]
    let sum = 0
    for (let at = from; at < to; at++) sum += (samples[at] ?? 0) ** 2
    return Math.sqrt(sum / Math.max(1, to - from))
  })
  const most = Math.max(...found)
  return found.map((one) => (most > 0 ? one / most : 0))
}

/** bars draws levels as the path of an SVG with the given height; each bar is 2 wide and has 2 of space. */
export function bars(all: number[], height: number): string {
  return all
    .map((level, at) => {
      const half = (Math.max(0.1, level) * (height - 4)) / 2
      return `M${at * 4 + 1} ${(height / 2 - half).toFixed(1)}v${(2 * half).toFixed(1)}`
    })
    .join('')
}

const key = (media: string) => `waveform ${media}`
const known = new Map<string, number[] | null>()

/** knownWaveform returns a waveform that was computed before, null if it cannot be computed, or undefined. */
export function knownWaveform(media: string): number[] | null | undefined {
  if (known.has(media)) return known.get(media)
  const stored = sessionStorage.getItem(key(media))
  if (!stored) return undefined
  const found = [...stored].map((digit) => parseInt(digit, 36) / 35)
  known.set(media, found)
  return found
}

function store(media: string, found: number[] | null): number[] | null {
  known.set(media, found)
  try {
    if (found)
      sessionStorage.setItem(
        key(media),
        found.map((one) => Math.round(one * 35).toString(36)).join(''),
      )
  } catch {
    // It is computed again after a reload.
  }
  return found
}

async function decode(address: string): Promise<number[]> {
  const response = await fetch(address)
  if (!response.ok) throw new Error(`status ${response.status}`)
  const audio = await new OfflineAudioContext(1, 1, rate).decodeAudioData(
    await response.arrayBuffer(),
  )
  return levels(audio.getChannelData(0))
}

let queue: Promise<unknown> = Promise.resolve()

/** computeWaveform decodes a recording, one at a time, and remembers the result. It returns null if the browser cannot decode it or wanted returns false when its turn comes. */
export function computeWaveform(
  { id, size }: { id: string; size: number },
  address: string,
  wanted: () => boolean,
): Promise<number[] | null> {
  if (size > maxBytes) return Promise.resolve(store(id, null))
  const task = queue.then(async () => {
    const found = knownWaveform(id)
    if (found !== undefined) return found
    if (!wanted()) return null
    return store(id, await decode(address).catch(() => null))
  })
  queue = task
  return task
}
