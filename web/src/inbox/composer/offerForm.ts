import type { Interactive, InteractiveBody } from '../../api/types'

/** limits are WhatsApp's limits on characters, buttons and rows. */
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

/** countOf counts characters as WhatsApp and the server do, by code point. */
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

/** repeated reports whether a text already occurs earlier in the list; buttons must differ. */
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

/** buttonsOffer returns the message as written. */
export const buttonsOffer = (form: ButtonsForm): InteractiveBody => ({
  ...frameOf(form),
  buttons: form.buttons.map(({ id, title }) => ({ id, title: title.trim() })),
})

/** buttonsFit reports whether WhatsApp accepts the message. */
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

/** listOffer returns the message as written. */
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

/** listFits reports whether WhatsApp accepts the message. */
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

/** offerAgain returns the request body that sends a message with buttons or a list again. */
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
