import type { TFunction } from 'i18next'
import type { Coded } from '../../api/codes'
import type { Menu, MenuAction, Reception } from '../../api/types'

/** The server's limits that the form shows. */
export const most = { title: 24, text: 1024, options: 10, depth: 3 } as const

export const kinds = ['sector', 'user', 'text', 'menu', 'close'] as const
export type Kind = (typeof kinds)[number]

/** OptionDraft is an option being edited. Values entered for other actions are kept until the form is closed. */
export type OptionDraft = {
  key: string
  title: string
  kind: Kind
  sector: string
  user: string
  text: string
  menu: MenuDraft | null
}
/** MenuDraft is a menu being edited. In a submenu, null and empty rules are inherited from the parent menu. */
export type MenuDraft = {
  text: string
  options: OptionDraft[]
  invalidText: string
  maxInvalid: number | null
  timeout: number | null
  fallback: string
}
export type Draft = {
  enabled: boolean
  greeting: string
  away: string
  withMenu: boolean
  menu: MenuDraft
}

let made = 0

/** newOption returns an empty option that sends to a department. */
export const newOption = (): OptionDraft => ({
  key: `option-${++made}`,
  title: '',
  kind: 'sector',
  sector: '',
  user: '',
  text: '',
  menu: null,
})

/** newMenu returns a menu with two empty options; a submenu inherits its rules. */
export const newMenu = (below: boolean): MenuDraft => ({
  text: '',
  options: [newOption(), newOption()],
  invalidText: '',
  maxInvalid: below ? null : 2,
  timeout: below ? null : 10,
  fallback: '',
})

const kindOf = (action: MenuAction): Kind =>
  kinds.find((kind) => action[kind] !== undefined) ?? 'sector'

function menuDraft(menu: Menu, above: Menu | null): MenuDraft {
  return {
    text: menu.text,
    invalidText: menu.invalid_text ?? '',
    fallback: menu.fallback_sector ?? '',
    // The server's defaults.
    maxInvalid:
      above && above.max_invalid === menu.max_invalid
        ? null
        : (menu.max_invalid ?? null),
    timeout:
      above && above.timeout_minutes === menu.timeout_minutes
        ? null
        : (menu.timeout_minutes ?? null),
    options: menu.options.map(({ title, action }) => ({
      ...newOption(),
      title,
      kind: kindOf(action),
      sector: action.sector ?? '',
      user: action.user ?? '',
      text: action.text ?? '',
      menu: action.menu ? menuDraft(action.menu, menu) : null,
    })),
  }
}

/** draftOf converts the server's reception to a draft. */
export function draftOf({ enabled, greeting, away, menu }: Reception): Draft {
  return {
    enabled,
    greeting: greeting ?? '',
    away: away ?? '',
    withMenu: menu !== null,
    menu: menu ? menuDraft(menu, null) : newMenu(false),
  }
}

function actionBody({
  kind,
  sector,
  user,
  text,
  menu,
}: OptionDraft): MenuAction {
  if (kind === 'close') return { close: true }
  if (kind === 'menu') return menu ? { menu: menuBody(menu) } : {}
  if (kind === 'text') return { text }
  if (kind === 'user') return user ? { user } : {}
  return sector ? { sector } : {}
}

const menuBody = (menu: MenuDraft): Menu => ({
  text: menu.text,
  invalid_text: menu.invalidText || null,
  fallback_sector: menu.fallback || null,
  ...(menu.maxInvalid === null ? {} : { max_invalid: menu.maxInvalid }),
  ...(menu.timeout === null ? {} : { timeout_minutes: menu.timeout }),
  options: menu.options.map((option) => ({
    title: option.title,
    action: actionBody(option),
  })),
})

/** bodyOf converts a draft to a request body. */
export const bodyOf = ({
  enabled,
  greeting,
  away,
  withMenu,
  menu,
}: Draft): Reception => ({
  enabled,
  greeting: greeting || null,
  away: away || null,
  menu: withMenu ? menuBody(menu) : null,
})

/** same reports whether two drafts would be saved alike. */
export const same = (a: Draft, b: Draft) =>
  JSON.stringify(bodyOf(a)) === JSON.stringify(bodyOf(b))

/** incomplete reports whether a required field is empty, which the server would reject. */
export function incomplete(menu: MenuDraft): boolean {
  return (
    menu.text.trim() === '' ||
    menu.options.length < 2 ||
    menu.options.some((option) => {
      if (option.title.trim() === '') return true
      if (option.kind === 'menu') return !option.menu || incomplete(option.menu)
      return option.kind !== 'close' && option[option.kind].trim() === ''
    })
  )
}

function menuFields(menu: MenuDraft, at: string): string[] {
  const own = [
    'text',
    'options',
    'invalid_text',
    'max_invalid',
    'timeout_minutes',
    'fallback_sector',
  ].map((name) => `${at}.${name}`)
  const below = menu.options.flatMap((option, index) => {
    const place = `${at}.options[${index}]`
    return [
      `${place}.title`,
      `${place}.action`,
      ...kinds.map((kind) => `${place}.action.${kind}`),
      ...(option.menu ? menuFields(option.menu, `${place}.action.menu`) : []),
    ]
  })
  return [...own, ...below]
}

/** fieldsOf returns the fields of the form as named in the server's errors. */
export const fieldsOf = ({ menu }: Draft) => [
  'greeting',
  'away',
  ...menuFields(menu, 'menu'),
]

/** Texts that override those of the server's codes. */
const words: Record<string, 'choose' | 'twice' | 'options' | 'deep'> = {
  exactly_one: 'choose',
  duplicate: 'twice',
  wrong_count: 'options',
  too_few: 'options',
  too_many: 'options',
  too_deep: 'deep',
}

/** receptionWords returns the form's own text for a server error. */
export function receptionWords(
  { code }: Coded,
  t: TFunction,
): string | undefined {
  const word = words[code]
  return word && t(`reception.wrong.${word}`)
}

/** moveItem returns a list with one entry moved to another index. */
export function moveItem<T>(all: readonly T[], from: number, to: number): T[] {
  const [one] = all.slice(from, from + 1)
  if (one === undefined || to < 0 || to >= all.length) return [...all]
  return all.toSpliced(from, 1).toSpliced(to, 0, one)
}
