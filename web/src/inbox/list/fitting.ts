let context: CanvasRenderingContext2D | null | undefined
const widths = new Map<string, number>()

/** textWidth returns the width of a text in a tag, in pixels, without causing a layout. */
export function textWidth(text: string): number {
  const known = widths.get(text)
  if (known !== undefined) return known
  if (context === undefined) {
    context = document.createElement('canvas').getContext('2d')
    if (context)
      context.font = `500 11.5px ${getComputedStyle(document.body).fontFamily}`
  }
  const width = Math.ceil(context?.measureText(text).width ?? text.length * 6.5)
  if (widths.size > 2000) widths.clear()
  widths.set(text, width)
  return width
}

/** The width of "+2". */
const moreWidth = 22

/** fitting returns how many items of given widths fit into a space, leaving room for the number of those that do not. */
export function fitting(widths: number[], space: number): number {
  let used = 0
  for (const [at, width] of widths.entries()) {
    used += width
    const more = at < widths.length - 1 ? moreWidth : 0
    if (used + more > space) return at
  }
  return widths.length
}
