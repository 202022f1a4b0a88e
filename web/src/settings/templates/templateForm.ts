import type { CreateTemplate, Template } from '../../api/types'

/** limits are WhatsApp's limits on characters and buttons. */
export const limits = {
  name: 512,
  header: 60,
  body: 1024,
  footer: 60,
  button: 25,
  url: 2000,
  phone: 24,
  sample: 1000,
  buttons: 10,
  urls: 2,
  phones: 1,
}

export const headerKinds = [
  'none',
  'text',
  'image',
  'video',
  'document',
] as const
export type HeaderKind = (typeof headerKinds)[number]
export type FileKind = Exclude<HeaderKind, 'none' | 'text'>

export const buttonTypes = ['quick_reply', 'url', 'phone'] as const
export type ButtonType = (typeof buttonTypes)[number]

/** ButtonDraft is a button in the builder. target is the address or the phone number, sample a complete address if it has a variable. */
export type ButtonDraft = {
  key: string
  type: ButtonType
  text: string
  target: string
  sample: string
}

export const categories = ['utility', 'marketing'] as const
export type Category = (typeof categories)[number]

/** TemplateDraft is a template in the builder. samples are the example values of the body by number. */
export type TemplateDraft = {
  title: string
  language: string
  category: Category
  headerKind: HeaderKind
  header: string
  headerSample: string
  headerMedia: string | null
  body: string
  samples: Record<number, string>
  footer: string
  buttons: ButtonDraft[]
}

const variable = /\{\{\s*(\w+)\s*\}\}/g

/** nameOf returns the name that Meta accepts: lower-case letters, digits and underscores. */
export const nameOf = (title: string) =>
  title
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, limits.name)

/** copyName returns the name of a copy: order_ready, order_ready_2, order_ready_3. */
export function copyName(name: string): string {
  const [, stem, number] = /^(.*?)(?:_(\d+))?$/.exec(name) ?? []
  return `${stem ?? name}_${Number(number ?? 1) + 1}`
}

/** languageFor returns the WhatsApp language of a language of the app. */
export const languageFor = (shown: string) =>
  ({ 'pt-BR': 'pt_BR', en: 'en_US' })[shown] ?? 'es'

export const emptyDraft = (shown: string): TemplateDraft => ({
  title: '',
  language: languageFor(shown),
  category: 'utility',
  headerKind: 'none',
  header: '',
  headerSample: '',
  headerMedia: null,
  body: '',
  samples: {},
  footer: '',
  buttons: [],
})

/** variablesOf returns the numbers of the variables of a text in the order in which they first appear. */
export function variablesOf(text: string): number[] {
  const found = [...text.matchAll(variable)].map(([, name]) => Number(name))
  return [...new Set(found)].filter(Number.isInteger)
}

/** hasVariable reports whether a text has a variable. */
export const hasVariable = (text: string) => variablesOf(text).length > 0

/** nextVariable returns the placeholder that follows those of a text. */
export const nextVariable = (text: string) =>
  `{{${Math.max(0, ...variablesOf(text)) + 1}}}`

/** renumbered numbers the body's variables from 1 in the order in which they appear, as Meta wants them. Samples keep their variable. */
export function renumbered(draft: TemplateDraft): TemplateDraft {
  const order = variablesOf(draft.body)
  if (order.every((n, at) => n === at + 1)) return draft
  const numbers = new Map(order.map((n, at) => [n, at + 1]))
  return {
    ...draft,
    body: draft.body.replace(
      variable,
      (_, name: string) => `{{${numbers.get(Number(name)) ?? name}}}`,
    ),
    samples: Object.fromEntries(
      order.map((n, at) => [at + 1, draft.samples[n] ?? '']),
    ),
  }
}

/** filled replaces variables by their samples. Variables without a sample stay as they are. */
export const filled = (text: string, sample: (name: string) => string) =>
  text.replace(variable, (gap, name: string) => sample(name).trim() || gap)

/** Selection is a text with its selected range. */
export type Selection = { text: string; start: number; end: number }

/** inserted replaces the selection by a text and puts the cursor behind it. */
export const inserted = (
  { text, start, end }: Selection,
  piece: string,
): Selection => ({
  text: text.slice(0, start) + piece + text.slice(end),
  start: start + piece.length,
  end: start + piece.length,
})

/** marked puts a WhatsApp mark around the selection, or removes it if it is there. The selection does not include spaces at its ends. */
export function marked(
  { text, start, end }: Selection,
  sign: string,
): Selection {
  const chosen = text.slice(start, end)
  const from = start + chosen.length - chosen.trimStart().length
  const to = chosen.trim() ? from + chosen.trim().length : from
  const inside = text.slice(from, to)
  const n = sign.length
  if (text.slice(from - n, from) === sign && text.slice(to, to + n) === sign)
    return {
      text: text.slice(0, from - n) + inside + text.slice(to + n),
      start: from - n,
      end: to - n,
    }
  return {
    text: `${text.slice(0, from)}${sign}${inside}${sign}${text.slice(to)}`,
    start: from + n,
    end: to + n,
  }
}

/** canAdd reports whether WhatsApp allows another button of a type. */
export function canAdd(buttons: ButtonDraft[], type: ButtonType): boolean {
  const most = { quick_reply: limits.buttons, url: limits.urls, phone: 1 }
  return (
    buttons.length < limits.buttons &&
    buttons.filter((one) => one.type === type).length < most[type]
  )
}

/** withButton adds a button. Meta wants the quick replies together, so they come first. */
export function withButton(
  buttons: ButtonDraft[],
  added: ButtonDraft,
): ButtonDraft[] {
  const replies = buttons.filter((one) => one.type === 'quick_reply')
  const others = buttons.filter((one) => one.type !== 'quick_reply')
  return added.type === 'quick_reply'
    ? [...replies, added, ...others]
    : [...replies, ...others, added]
}

/** numbersOf maps the variables of a text to 1, 2, 3 in the order in which they appear; some templates have names instead. */
function numbersOf(text: string): Map<string, number> {
  const names = [...text.matchAll(variable)].map(([, name]) => name ?? '')
  return new Map([...new Set(names)].map((name, at) => [name, at + 1]))
}

const isButtonType = (type: string): type is ButtonType =>
  (buttonTypes as readonly string[]).includes(type)

/** draftOf returns a new template that starts as a copy of another one. Buttons that the builder does not offer are left out. */
export function draftOf(template: Template, key: () => string): TemplateDraft {
  const { name, language, category, header, body, footer, parameters } =
    template
  const renamed = (text: string) => {
    const numbers = numbersOf(text)
    return text.replace(
      variable,
      (_, gap: string) => `{{${numbers.get(gap) ?? gap}}}`,
    )
  }
  const numbers = numbersOf(body)
  const samples: Record<number, string> = {}
  const linkSamples = new Map<number, string>()
  let sample = ''
  let kind: HeaderKind = header ? 'text' : 'none'
  for (const gap of parameters) {
    const example = gap.example ?? ''
    if (gap.component === 'body')
      samples[numbers.get(gap.name ?? String(gap.index)) ?? gap.index] = example
    if (gap.component === 'button') linkSamples.set(gap.index - 1, example)
    if (gap.component !== 'header') continue
    if (gap.type === 'text') sample = example
    else kind = gap.type
  }
  return {
    title: copyName(name),
    language,
    category: category === 'marketing' ? 'marketing' : 'utility',
    headerKind: kind,
    header: kind === 'text' ? renamed(header ?? '') : '',
    headerSample: sample,
    headerMedia: null,
    body: renamed(body),
    samples,
    footer: footer ?? '',
    buttons: template.buttons.flatMap((button, at) => {
      const { type } = button
      return isButtonType(type)
        ? [
            {
              key: key(),
              type,
              text: button.text,
              target: button.url ?? button.phone_number ?? '',
              sample: linkSamples.get(at) ?? '',
            },
          ]
        : []
    }),
  }
}

/** Shown is a template as the customer sees it, with values for its variables. */
export type Shown = {
  file: FileKind | null
  header: string
  body: string
  footer: string
  buttons: { key: string; type: string; text: string }[]
}

/** shownDraft returns a draft as the customer sees it, with its samples. */
export const shownDraft = (draft: TemplateDraft): Shown => ({
  file:
    draft.headerKind === 'none' || draft.headerKind === 'text'
      ? null
      : draft.headerKind,
  header:
    draft.headerKind === 'text'
      ? filled(draft.header, () => draft.headerSample)
      : '',
  body: filled(draft.body, (name) => draft.samples[Number(name)] ?? ''),
  footer: draft.footer,
  buttons: draft.buttons,
})

/** shownTemplate returns a stored template as the customer sees it, with Meta's samples. */
export function shownTemplate(template: Template): Shown {
  const sample = (component: string) => (name: string) =>
    template.parameters.find(
      (gap) =>
        gap.component === component && (gap.name ?? String(gap.index)) === name,
    )?.example ?? ''
  const file = template.parameters.find(
    (gap) => gap.component === 'header' && gap.type !== 'text',
  )?.type
  return {
    file: file === undefined || file === 'text' ? null : file,
    header: filled(template.header ?? '', sample('header')),
    body: filled(template.body, sample('body')),
    footer: template.footer ?? '',
    buttons: template.buttons.map(({ type, text }, at) => ({
      key: String(at),
      type,
      text,
    })),
  }
}

/** requestOf returns the draft as a request body. Its variables are numbered in order. */
export function requestOf(given: TemplateDraft): CreateTemplate {
  const draft = renumbered(given)
  const { headerKind: kind, footer, buttons } = draft
  const body = variablesOf(draft.body).map(
    (n) => draft.samples[n]?.trim() ?? '',
  )
  const header =
    kind === 'text'
      ? hasVariable(draft.header)
        ? [draft.headerSample.trim()]
        : []
      : draft.headerMedia && kind !== 'none'
        ? [draft.headerMedia]
        : []
  return {
    name: nameOf(draft.title),
    language: draft.language,
    category: draft.category,
    body: draft.body.trim(),
    ...(kind === 'text' ? { header: draft.header.trim() } : {}),
    ...(kind !== 'text' && kind !== 'none' ? { header: { type: kind } } : {}),
    ...(footer.trim() ? { footer: footer.trim() } : {}),
    ...(buttons.length > 0
      ? {
          buttons: buttons.map(({ type, text, target, sample }) => ({
            type,
            text: text.trim(),
            ...(type === 'url' ? { url: target.trim() } : {}),
            ...(type === 'url' && hasVariable(target)
              ? { example: sample.trim() }
              : {}),
            ...(type === 'phone' ? { phone_number: target.trim() } : {}),
          })),
        }
      : {}),
    ...(body.length + header.length > 0 ? { examples: { body, header } } : {}),
  }
}

/** Missing is a field that keeps a template from being sent to Meta, and why; the texts are templates.missing. */
export type Missing =
  'required' | 'sample' | 'file' | 'edge' | 'tooLong' | 'variable' | 'url'

const count = (text: string) => [...text].length

/** missing returns what is missing by field. The names of fields are those of the request. */
export function missing(draft: TemplateDraft): Record<string, Missing> {
  const found: Record<string, Missing> = {}
  const line = (
    field: string,
    text: string,
    most: number,
    required: boolean,
  ) => {
    if (required && !text.trim()) found[field] = 'required'
    else if (count(text) > most) found[field] = 'tooLong'
  }
  line('name', nameOf(draft.title), limits.name, true)
  if (draft.headerKind === 'text') {
    line('header', draft.header, limits.header, true)
    if (variablesOf(draft.header).length > 1) found.header ??= 'variable'
    if (variablesOf(draft.header).length > 0 && !draft.headerSample.trim())
      found['examples.header[0]'] = 'sample'
  } else if (draft.headerKind !== 'none' && !draft.headerMedia)
    found['examples.header[0]'] = 'file'
  line('body', draft.body, limits.body, true)
  const body = draft.body.trim()
  if (/^\{\{\s*\d+\s*\}\}|\{\{\s*\d+\s*\}\}$/.test(body)) found.body ??= 'edge'
  variablesOf(draft.body).forEach((n, at) => {
    if (!draft.samples[n]?.trim()) found[`examples.body[${at}]`] = 'sample'
  })
  line('footer', draft.footer, limits.footer, false)
  draft.buttons.forEach(({ type, text, target, sample }, at) => {
    line(`buttons[${at}].text`, text, limits.button, true)
    if (type === 'url') {
      line(`buttons[${at}].url`, target, limits.url, true)
      if (!/^https?:\/\/[^\s/]/.test(target.trim()))
        found[`buttons[${at}].url`] ??= 'url'
      if (hasVariable(target) && !sample.trim())
        found[`buttons[${at}].example`] = 'sample'
    }
    if (type === 'phone')
      line(`buttons[${at}].phone_number`, target, limits.phone, true)
  })
  return found
}
