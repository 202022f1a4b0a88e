import { Fragment, type ReactNode } from 'react'

type Mark = { sign: string; element: 'strong' | 'em' | 's' | 'code' }

const marks: Mark[] = [
  { sign: '```', element: 'code' },
  { sign: '`', element: 'code' },
  { sign: '*', element: 'strong' },
  { sign: '_', element: 'em' },
  { sign: '~', element: 's' },
]

const link = /https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]}]/gi

/** A mark opens after the start, a space or punctuation, and closes before the same; its inside has no space at its ends. */
function findMark(text: string): { start: number; end: number; mark: Mark } | null {
  let best: { start: number; end: number; mark: Mark } | null = null
  for (const mark of marks) {
    const sign = mark.sign.replaceAll('*', '\\*')
    const inside = mark.sign === '```' ? '[\\s\\S]+?' : `[^\\s${sign}](?:[^\\n${sign}]*[^\\s${sign}])?`
    const match = new RegExp(`(^|[^\\p{L}\\p{N}${sign}])${sign}(${inside})${sign}(?![\\p{L}\\p{N}${sign}])`, 'u').exec(text)
    if (!match) continue
    const start = match.index + (match[1]?.length ?? 0)
    if (!best || start < best.start) best = { start, end: match.index + match[0].length, mark }
  }
  return best
}

function links(text: string, key: string): ReactNode[] {
  const parts: ReactNode[] = []
  let at = 0
  for (const match of text.matchAll(link)) {
    parts.push(text.slice(at, match.index))
    parts.push(
      <a key={`${key}-${match.index}`} href={match[0]} target="_blank" rel="noopener noreferrer">
        {match[0]}
      </a>,
    )
    at = match.index + match[0].length
  }
  parts.push(text.slice(at))
  return parts
}

function render(text: string, key: string): ReactNode[] {
  const found = findMark(text)
  const address = text.search(link)
  if (!found || (address >= 0 && address < found.start && text.slice(address).search(/\s/) + address > found.start)) return links(text, key)
  const Element = found.mark.element
  const size = found.mark.sign.length
  const inner = text.slice(found.start + size, found.end - size)
  return [
    ...links(text.slice(0, found.start), `${key}a`),
    <Element key={`${key}m`}>{Element === 'code' ? inner : render(inner, `${key}i`)}</Element>,
    ...render(text.slice(found.end), `${key}z`),
  ]
}

/** RichText shows a text of WhatsApp: bold, italic, strike and monospace as elements, http(s) addresses as links, all else as text. */
export function RichText({ text }: { text: string }) {
  return <Fragment>{render(text, 'r')}</Fragment>
}

/** plainText leaves out the signs of formatting, for one-line previews. */
export function plainText(text: string): string {
  let rest = text.replace(/\s+/g, ' ')
  for (let found = findMark(rest); found; found = findMark(rest)) {
    const size = found.mark.sign.length
    rest = rest.slice(0, found.start) + rest.slice(found.start + size, found.end - size) + rest.slice(found.end)
  }
  return rest
}
