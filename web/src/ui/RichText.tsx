import { Fragment, type ReactNode } from 'react'

type Element = 'strong' | 'em' | 's' | 'code'
type Part = string | { element: Element; inside: Part[] } | { address: string }

const elements: Record<string, Element> = {
  '```': 'code',
  '`': 'code',
  '*': 'strong',
  _: 'em',
  '~': 's',
}

/** maxMarks limits how many marks and links of a text are rendered; the rest is plain text. */
const maxMarks = 200

const special = /[*_~`]|https?:\/\//gi
const link = /https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]}]/iy
const endsWithWord = /[\p{L}\p{N}]$/u
const startsWithWord = /^[\p{L}\p{N}]/u

/** closing returns the index of the mark that closes the one at the given index, or -1. */
function closing(text: string, at: number, sign: string): number {
  const from = at + sign.length
  const closes = (end: number) =>
    text[end + sign.length] !== sign[0] &&
    !startsWithWord.test(text.slice(end + sign.length, end + sign.length + 2))
  if (sign === '```') {
    let end = text.indexOf(sign, from + 1)
    while (end >= 0 && !closes(end)) end = text.indexOf(sign, end + 1)
    return end
  }
  const end = text.indexOf(sign, from)
  if (end <= from || !closes(end)) return -1
  const inside = text.slice(from, end)
  return inside.trim() === inside && !inside.includes('\n') ? end : -1
}

/**
 * parts splits a text at its marks and links in one pass. An opening mark follows the start, a space or punctuation, and a closing
 * mark precedes the same; the text in between has no space at its ends. left is the number of marks still allowed.
 */
function parts(text: string, left: { marks: number }): Part[] {
  const found: Part[] = []
  const open = new RegExp(special)
  let plain = 0
  let noBlock = false // true if no code block closes after this point
  const add = (at: number, part: Part, end: number) => {
    found.push(text.slice(plain, at), part)
    plain = open.lastIndex = end
  }
  for (
    let match = open.exec(text);
    match && left.marks > 0;
    match = open.exec(text)
  ) {
    const at = match.index
    if (match[0].length > 1) {
      link.lastIndex = at
      const address = link.exec(text)?.[0]
      if (!address) continue
      left.marks--
      add(at, { address }, at + address.length)
      continue
    }
    if (
      text[at - 1] === match[0] ||
      endsWithWord.test(text.slice(Math.max(0, at - 2), at))
    )
      continue
    const sign = text.startsWith('```', at) ? '```' : match[0]
    const end = sign === '```' && noBlock ? -1 : closing(text, at, sign)
    if (end < 0) {
      noBlock ||= sign === '```'
      continue
    }
    left.marks--
    const inside = text.slice(at + sign.length, end)
    const element = elements[sign] ?? 'code'
    add(
      at,
      { element, inside: element === 'code' ? [inside] : parts(inside, left) },
      end + sign.length,
    )
  }
  found.push(text.slice(plain))
  return found
}

const split = (text: string) => parts(text, { marks: maxMarks })

function render(all: Part[]): ReactNode[] {
  return all.map((part, index) => {
    if (typeof part === 'string') return part
    if ('address' in part)
      return (
        <a
          key={index}
          href={part.address}
          target="_blank"
          rel="noopener noreferrer"
        >
          {part.address}
        </a>
      )
    return <part.element key={index}>{render(part.inside)}</part.element>
  })
}

/** RichText renders WhatsApp formatting: bold, italic, strikethrough, monospace and http(s) links. */
export function RichText({ text }: { text: string }) {
  return <Fragment>{render(split(text))}</Fragment>
}

const textOf = (part: Part): string =>
  typeof part === 'string'
    ? part
    : 'address' in part
      ? part.address
      : part.inside.map(textOf).join('')

/** plainText removes formatting marks, for one-line previews. */
export function plainText(text: string): string {
  return split(text.replace(/\s+/g, ' ')).map(textOf).join('')
}
