import type { Interactive, InteractiveBody } from '../../api/types'

/** limits are WhatsApp's own: characters, and how many buttons and rows. */
export const limits = {
  buttonBody: 1024,
  listBody: 4096,
  line: 60,
  button: 20,
  row: 24,
  description: 72,
  buttons: 3,
  rows: 10,
}

export type Frame = { body: string; header: string; footer: string }
export type ButtonsForm = Frame & { buttons: { id: string; title: string }[] }
export type Row = { id: string; title: string; description: string }
export type ListSection = { id: string; title: string; rows: Row[] }
export type ListForm = Frame & { button: string; sections: ListSection[] }

/** countOf counts characters as WhatsApp and the server do: an emoji of one code point is one. */
export const countOf = (text: string) => [...text.trim()].length

const fits = (text: string, most: number) =>
  countOf(text) > 0 && countOf(text) <= most
const fitsOrEmpty = (text: string, most: number) => countOf(text) <= most

export const newButton = () => ({ id: crypto.randomUUID(), title: '' })
export const newRow = (): Row => ({
  id: crypto.randomUUID(),
  title: '',
  description: '',
})
export const newSection = (): ListSection => ({
  id: crypto.randomUUID(),
  title: '',
  rows: [newRow()],
})

/** repeated is true for a text that stands earlier in the list, too: two buttons may not look the same. */
export const repeated = (texts: string[], at: number) =>
  (texts[at] ?? '').trim() !== '' &&
  texts.slice(0, at).some((one) => one.trim() === texts[at]?.trim())

const frameFits = ({ body, header, footer }: Frame, most: number) =>
  fits(body, most) &&
  fitsOrEmpty(header, limits.line) &&
  fitsOrEmpty(footer, limits.line)

const frameOf = ({ body, header, footer }: Frame): InteractiveBody => ({
  body: body.trim(),
  ...(header.trim() ? { header: header.trim() } : {}),
  ...(footer.trim() ? { footer: footer.trim() } : {}),
})

/** buttonsOffer is the message as it is written. */
export const buttonsOffer = (form: ButtonsForm): InteractiveBody => ({
  ...frameOf(form),
  buttons: form.buttons.map(({ id, title }) => ({ id, title: title.trim() })),
})

/** buttonsFit tells whether WhatsApp takes the message. */
export function buttonsFit(form: ButtonsForm): boolean {
  const titles = form.buttons.map((one) => one.title)
  return (
    frameFits(form, limits.buttonBody) &&
    titles.length >= 1 &&
    titles.length <= limits.buttons &&
    titles.every(
      (title, at) => fits(title, limits.button) && !repeated(titles, at),
    )
  )
}

/** rowsOf counts the rows of all sections. */
export const rowsOf = (form: ListForm) =>
  form.sections.reduce((sum, section) => sum + section.rows.length, 0)

/** listOffer is the message as it is written. */
export const listOffer = (form: ListForm): InteractiveBody => ({
  ...frameOf(form),
  list: {
    button: form.button.trim(),
    sections: form.sections.map(({ title, rows }) => ({
      ...(title.trim() ? { title: title.trim() } : {}),
      rows: rows.map((row) => ({
        id: row.id,
        title: row.title.trim(),
        ...(row.description.trim()
          ? { description: row.description.trim() }
          : {}),
      })),
    })),
  },
})

/** listFits tells whether WhatsApp takes the message. */
export function listFits(form: ListForm): boolean {
  const several = form.sections.length > 1
  return (
    frameFits(form, limits.listBody) &&
    fits(form.button, limits.button) &&
    rowsOf(form) <= limits.rows &&
    form.sections.length > 0 &&
    form.sections.every(
      ({ title, rows }) =>
        (several ? fits(title, limits.row) : fitsOrEmpty(title, limits.row)) &&
        rows.length > 0 &&
        rows.every(
          (row) =>
            fits(row.title, limits.row) &&
            fitsOrEmpty(row.description, limits.description),
        ),
    )
  )
}

/** offerAgain is the body that sends a message with a choice once more. */
export const offerAgain = ({
  body,
  header,
  footer,
  buttons,
  list,
}: Interactive): InteractiveBody => ({
  body,
  ...(header ? { header } : {}),
  ...(footer ? { footer } : {}),
  ...(buttons ? { buttons } : {}),
  ...(list
    ? {
        list: {
          button: list.button,
          sections: list.sections.map(({ title, rows }) => ({
            ...(title ? { title } : {}),
            rows: rows.map(({ description, ...row }) => ({
              ...row,
              ...(description ? { description } : {}),
            })),
          })),
        },
      }
    : {}),
})
