import { Fragment, type ReactNode } from 'react'
import classes from './RichText.module.css'

type Element = 'strong' | 'em' | 's' | 'code'
type Link = { text: string; address: string }
type Part = string | { element: Element; inside: Part[] } | Link

const elements: Record<string, Element> = {
  '```': 'code',
  '`': 'code',
  '*': 'strong',
  _: 'em',
  '~': 's',
}

/** maxMarks limits how many marks and links of a text are rendered; the rest is plain text. */
const maxMarks = 200

const special = /[*_~`]|https?:\/\/|@|\+\d|\(\d\d\)|\d\d 9\d/gi
const link = /https?:\/\/[^\s<>"']+[^\s<>"'.,;:!?)\]}]/iy
const mailbox = /[\w.+-]{1,64}$/
const domain =
  /@(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.){1,4}[a-z]{2,24}(?![\w-])/iy
const international = /\+\d{1,3}(?:[ .-]?\(?\d{1,5}\)?){2,6}(?![\d\w])/y
const national = /(?:\(\d\d\) ?|\d\d )9?\d{4}[ -]?\d{4}(?![\d\w-])/y
const endsWithWord = /[\p{L}\p{N}]$/u
const startsWithWord = /^[\p{L}\p{N}]/u

const match = (pattern: RegExp, text: string, at: number) => {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

/** linkAt returns the web address, e-mail address or phone number at an index, and where it starts. plain is the end of the previous part. */
function linkAt(
  text: string,
  at: number,
  plain: number,
): (Link & { start: number }) | null {
  const address = match(link, text, at)
  if (address) return { text: address, address, start: at }
  const before = text.slice(Math.max(plain, at - 64), at)
  if (text[at] === '@') {
    const name = mailbox.exec(before)?.[0]
    const host = name && match(domain, text, at)
    if (!host) return null
    const mail = name + host
    return { text: mail, address: `mailto:${mail}`, start: at - name.length }
  }
  if (/[\w.,/+-]$/.test(before)) return null // part of a longer number
  const phone = match(text[at] === '+' ? international : national, text, at)
  const digits = phone?.replace(/[^\d+]/g, '') ?? ''
  return phone && digits.length >= 9 && digits.length <= 16
    ? { text: phone, address: `tel:${digits}`, start: at }
    : null
}

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
    if (match[0] === '@' || match[0].length > 1) {
      const found = linkAt(text, at, plain)
      if (!found) continue
      left.marks--
      add(
        found.start,
        { text: found.text, address: found.address },
        found.start + found.text.length,
      )
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
      return part.address.startsWith('http') ? (
        <a
          key={index}
          href={part.address}
          target="_blank"
          rel="noopener noreferrer"
        >
          {part.text}
        </a>
      ) : (
        <a key={index} href={part.address}>
          {part.text}
        </a>
      )
    return <part.element key={index}>{render(part.inside)}</part.element>
  })
}

/** RichText renders WhatsApp's formatting within a line: bold, italic, strikethrough, monospace, and links to web pages, e-mail addresses and phones. */
export function RichText({ text }: { text: string }) {
  return <Fragment>{render(split(text))}</Fragment>
}

type Block = {
  kind: 'text' | 'bullets' | 'numbers' | 'quote'
  lines: string[]
  start: number
}

const bullet = /^[-*] +(?=\S)/
const numbered = /^(\d{1,3})\. +(?=\S)/
const quoted = /^> ?/

/** blocks groups the lines of a text into paragraphs, lists and quotes. Lines of a code block stay text. */
function blocks(text: string): Block[] {
  const found: Block[] = []
  let code = false
  for (const line of text.split('\n')) {
    const fences = line.split('```').length - 1
    const plain = code || fences > 0
    if (fences % 2 === 1) code = !code
    const number = plain ? null : numbered.exec(line)
    const kind = plain
      ? 'text'
      : bullet.test(line)
        ? 'bullets'
        : number
          ? 'numbers'
          : quoted.test(line)
            ? 'quote'
            : 'text'
    const content =
      kind === 'bullets'
        ? line.replace(bullet, '')
        : kind === 'numbers'
          ? line.replace(numbered, '')
          : kind === 'quote'
            ? line.replace(quoted, '')
            : line
    const last = found.at(-1)
    if (last?.kind === kind) last.lines.push(content)
    else found.push({ kind, lines: [content], start: Number(number?.[1] ?? 1) })
  }
  return found
}

/** isParagraph reports whether a text has no lists and quotes, so that MessageText renders no blocks. */
export const isParagraph = (text: string) =>
  !/^(?:[-*] |\d{1,3}\. |>)/m.test(text)

/** MessageText renders a message: the formatting of RichText, and lists and quotes as WhatsApp writes them ("- ", "1. ", "> "). */
export function MessageText({ text }: { text: string }) {
  const left = { marks: maxMarks }
  return blocks(text).map(({ kind, lines, start }, index) => {
    const items = () =>
      lines.map((line, at) => <li key={at}>{render(parts(line, left))}</li>)
    if (kind === 'bullets')
      return (
        <ul key={index} className={classes.list}>
          {items()}
        </ul>
      )
    if (kind === 'numbers')
      return (
        <ol key={index} className={classes.list} start={start}>
          {items()}
        </ol>
      )
    const inside = render(parts(lines.join('\n'), left))
    return kind === 'quote' ? (
      <blockquote key={index} className={classes.quote}>
        {inside}
      </blockquote>
    ) : (
      <Fragment key={index}>{inside}</Fragment>
    )
  })
}

const emoji =
  '(?:\\p{RI}{2}|[0-9#*]\\uFE0F?\\u20E3|\\p{Extended_Pictographic}[\\uFE0F\\p{EMod}]*[\\u{E0020}-\\u{E007F}]*(?:\\u200D\\p{Extended_Pictographic}[\\uFE0F\\p{EMod}]*)*)'
const onlyEmoji = new RegExp(`^(?:${emoji}\\s*){1,3}$`, 'u')
const eachEmoji = new RegExp(emoji, 'gu')

/** emojiCount returns the number of emoji of a text that consists of one to three emoji, otherwise 0. */
export function emojiCount(text: string): number {
  return text.length <= 80 && onlyEmoji.test(text)
    ? (text.match(eachEmoji)?.length ?? 0)
    : 0
}

const textOf = (part: Part): string =>
  typeof part === 'string'
    ? part
    : 'address' in part
      ? part.text
      : part.inside.map(textOf).join('')

/** plainText removes formatting marks, for one-line previews. */
export function plainText(text: string): string {
  return split(text.replace(/\s+/g, ' ')).map(textOf).join('')
}
