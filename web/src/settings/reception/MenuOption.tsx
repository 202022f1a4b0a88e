import { ActionIcon, NativeSelect } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconTrash } from '@tabler/icons-react'
import type { KeyboardEvent, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Member, Sector } from '../../api/types'
import { CountedField } from './CountedField'
import {
  kinds,
  most,
  newMenu,
  type Kind,
  type OptionDraft,
} from './receptionForm'
import classes from './Reception.module.css'

/** Shared is what all parts of the menu form need: the departments and people to choose from, and the server's errors by field. */
export type Shared = {
  sectors: Sector[]
  team: Member[]
  wrong: Record<string, string>
}

/** MovedBy is the control that keeps the focus while an option is moved. */
export type MovedBy = 'title' | 'up' | 'down'

type Props = {
  option: OptionDraft
  at: string
  number: string
  depth: number
  first: boolean
  last: boolean
  removable: boolean
  shared: Shared
  onChange: (option: OptionDraft) => void
  onEnter: () => void
  onRemove: () => void
  onMove: (by: 1 | -1, part: MovedBy) => void
  /** The form of the submenu. */
  children: ReactNode
}

/** MenuOption edits one option: its title and its action. Enter adds another option; Ctrl with an arrow key moves it. */
export function MenuOption({
  option,
  at,
  number,
  depth,
  first,
  last,
  removable,
  shared,
  onChange,
  onEnter,
  onRemove,
  onMove,
  children,
}: Props) {
  const { t } = useTranslation()
  const { key, title, kind } = option
  const { wrong } = shared
  const name = t('reception.option', { number })
  const typed = (event: KeyboardEvent) => {
    if (event.key === 'Enter') onEnter()
    else if (event.ctrlKey && event.key === 'ArrowUp') onMove(-1, 'title')
    else if (event.ctrlKey && event.key === 'ArrowDown') onMove(1, 'title')
    else return
    event.preventDefault()
  }
  const does = wrong[`${at}.action`]
  return (
    <div role="group" aria-label={name} className={classes.option}>
      <div className={classes.head}>
        <strong aria-hidden>{name}</strong>
        <ActionIcon
          id={`${key}-up`}
          variant="subtle"
          color="gray"
          disabled={first}
          aria-label={t('reception.up', { name })}
          title={t('reception.up', { name })}
          onClick={() => onMove(-1, 'up')}
        >
          <IconArrowUp size={18} />
        </ActionIcon>
        <ActionIcon
          id={`${key}-down`}
          variant="subtle"
          color="gray"
          disabled={last}
          aria-label={t('reception.down', { name })}
          title={t('reception.down', { name })}
          onClick={() => onMove(1, 'down')}
        >
          <IconArrowDown size={18} />
        </ActionIcon>
        <ActionIcon
          variant="subtle"
          color="gray"
          disabled={!removable}
          aria-label={t('reception.remove', { name })}
          title={t('reception.remove', { name })}
          onClick={onRemove}
        >
          <IconTrash size={18} />
        </ActionIcon>
      </div>
      <div className={classes.fields}>
        <CountedField
          id={`${key}-title`}
          label={t('reception.optionTitle')}
          most={most.title}
          value={title}
          error={wrong[`${at}.title`]}
          onChange={(next) => onChange({ ...option, title: next })}
          onKeyDown={typed}
        />
        <NativeSelect
          label={t('reception.action')}
          value={kind}
          error={
            kind === 'text' || kind === 'close' || kind === 'menu'
              ? (does ?? wrong[`${at}.action.menu`])
              : undefined
          }
          data={kinds
            .filter((one) => one !== 'menu' || depth < most.depth)
            .map((one) => ({ value: one, label: t(`reception.does.${one}`) }))}
          onChange={(event) => {
            const next = event.currentTarget.value as Kind
            onChange({
              ...option,
              kind: next,
              menu:
                next === 'menu' ? (option.menu ?? newMenu(true)) : option.menu,
            })
          }}
        />
        {kind === 'sector' && (
          <Chosen
            label={t('reception.sector')}
            value={option.sector}
            all={shared.sectors}
            error={wrong[`${at}.action.sector`] ?? does}
            onChange={(sector) => onChange({ ...option, sector })}
          />
        )}
        {kind === 'user' && (
          <Chosen
            label={t('reception.person')}
            value={option.user}
            all={shared.team}
            error={wrong[`${at}.action.user`] ?? does}
            onChange={(user) => onChange({ ...option, user })}
          />
        )}
      </div>
      {kind === 'text' && (
        <CountedField
          long
          label={t('reception.answer')}
          description={t('reception.answerText')}
          most={most.text}
          value={option.text}
          error={wrong[`${at}.action.text`]}
          onChange={(text) => onChange({ ...option, text })}
        />
      )}
      {children && <div className={classes.below}>{children}</div>}
    </div>
  )
}

type ChosenProps = {
  label: string
  value: string
  all: { id: string; name: string }[]
  error: string | undefined
  onChange: (id: string) => void
}

/** Chosen selects a department or a person. A removed one is shown as such. */
function Chosen({ label, value, all, error, onChange }: ChosenProps) {
  const { t } = useTranslation()
  const gone = value !== '' && !all.some((one) => one.id === value)
  return (
    <NativeSelect
      label={label}
      value={value}
      error={error}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[
        { value: '', label: t('reception.choose') },
        ...(gone ? [{ value, label: t('reception.removed') }] : []),
        ...all.map(({ id, name }) => ({ value: id, label: name })),
      ]}
    />
  )
}
