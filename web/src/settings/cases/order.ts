/** moved returns a list with one item at another place. */
export const moved = <T>(all: T[], from: number, to: number): T[] => {
  const item = all[from]
  return item === undefined
    ? all
    : all.toSpliced(from, 1).toSpliced(to, 0, item)
}

/** Span is the place of a row on the page. */
export type Span = { top: number; height: number }

/** targetOf returns the index that a row dragged by a distance has: the number of other rows whose middle is above its own. */
export function targetOf(spans: Span[], from: number, by: number): number {
  const own = spans[from]
  if (!own) return from
  const middle = own.top + own.height / 2 + by
  return spans.filter((one, at) => {
    if (at === from) return false
    const theirs = one.top + one.height / 2
    // The row has passed another one when its edge reaches that one's middle.
    return at < from
      ? theirs < middle - own.height / 2
      : theirs < middle + own.height / 2
  }).length
}

/** shiftOf returns how far a row gives way to the dragged one. */
export function shiftOf(
  spans: Span[],
  from: number,
  to: number,
  at: number,
): number {
  const height = spans[from]?.height ?? 0
  if (at > from && at <= to) return -height
  if (at < from && at >= to) return height
  return 0
}
