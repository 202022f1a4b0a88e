import '@mantine/core/styles/NumberInput.layer.css'
import { Alert, Button, NativeSelect, NumberInput, Stack } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { announce } from '../../ui/announce'
import { CountedField } from './CountedField'
import { MenuOption, type MovedBy, type Shared } from './MenuOption'
import {
  most,
  moveItem,
  newOption,
  type MenuDraft,
  type OptionDraft,
} from './receptionForm'
import classes from './Reception.module.css'

type Props = {
  menu: MenuDraft
  at: string
  number: string
  depth: number
  shared: Shared
  onChange: (menu: MenuDraft) => void
}

const focusLater = (id: string) =>
  requestAnimationFrame(() => document.getElementById(id)?.focus())

/** MenuEditor edits a menu and its submenus. at is the menu's path in the request, number that of the option which opens it, as in "2.". */
export function MenuEditor({
  menu,
  at,
  number,
  depth,
  shared,
  onChange,
}: Props) {
  const { t } = useTranslation()
  const { options } = menu
  const { wrong } = shared
  const full = options.length >= most.options
  const insert = (place: number) => {
    if (full) return
    const option = newOption()
    onChange({ ...menu, options: options.toSpliced(place, 0, option) })
    focusLater(`${option.key}-title`)
  }
  const remove = (place: number) => {
    const rest = options.toSpliced(place, 1)
    onChange({ ...menu, options: rest })
    focusLater(`${(rest[place] ?? rest[place - 1])?.key}-title`)
  }
  const move = (from: number, by: 1 | -1, part: MovedBy) => {
    const to = from + by
    if (to < 0 || to >= options.length) return
    onChange({ ...menu, options: moveItem(options, from, to) })
    announce(t('reception.movedTo', { place: to + 1 }))
    // At the end of the list the pressed button is disabled.
    const last = to === 0 ? 'down' : to === options.length - 1 ? 'up' : part
    focusLater(`${options[from]?.key}-${part === 'title' ? part : last}`)
  }
  return (
    <Stack gap="md">
      <CountedField
        long
        label={t('reception.menuTitle')}
        description={depth === 1 ? t('reception.menuTitleText') : undefined}
        most={most.text}
        value={menu.text}
        error={wrong[`${at}.text`]}
        onChange={(text) => onChange({ ...menu, text })}
      />
      {options.map((option, index) => {
        const [place, itsNumber] = [
          `${at}.options[${index}]`,
          `${number}${index + 1}`,
        ]
        const change = (changed: OptionDraft) =>
          onChange({ ...menu, options: options.with(index, changed) })
        return (
          <MenuOption
            key={option.key}
            option={option}
            at={place}
            number={itsNumber}
            depth={depth}
            first={index === 0}
            last={index === options.length - 1}
            removable={options.length > 2}
            shared={shared}
            onChange={change}
            onEnter={() => insert(index + 1)}
            onRemove={() => remove(index)}
            onMove={(by, part) => move(index, by, part)}
          >
            {option.kind === 'menu' && option.menu && (
              <MenuEditor
                menu={option.menu}
                at={`${place}.action.menu`}
                number={`${itsNumber}.`}
                depth={depth + 1}
                shared={shared}
                onChange={(below) => change({ ...option, menu: below })}
              />
            )}
          </MenuOption>
        )
      })}
      {wrong[`${at}.options`] && (
        <Alert color="red" variant="light">
          {wrong[`${at}.options`]}
        </Alert>
      )}
      <Button
        className={classes.add}
        variant="default"
        leftSection={<IconPlus size={16} />}
        disabled={full}
        onClick={() => insert(options.length)}
      >
        {t('reception.add')}
      </Button>
      {depth === 1 ? (
        <MenuRules
          menu={menu}
          at={at}
          below={false}
          shared={shared}
          onChange={onChange}
        />
      ) : (
        <OwnRules menu={menu} at={at} shared={shared} onChange={onChange} />
      )}
    </Stack>
  )
}

type RulesProps = Omit<Props, 'number' | 'depth'>

/** OwnRules edits the rules of a submenu, which inherits those of its parent menu unless it has its own. */
function OwnRules(props: RulesProps) {
  const { t } = useTranslation()
  const { invalidText, maxInvalid, timeout, fallback } = props.menu
  const [shown, setShown] = useState(
    invalidText !== '' ||
      maxInvalid !== null ||
      timeout !== null ||
      fallback !== '',
  )
  if (shown) return <MenuRules {...props} below />
  return (
    <Button
      className={classes.add}
      variant="subtle"
      size="compact-sm"
      onClick={() => setShown(true)}
    >
      {t('reception.ownRules')}
    </Button>
  )
}

/** MenuRules edits what happens after an invalid answer or no answer. */
function MenuRules({
  menu,
  at,
  below,
  shared: { sectors, wrong },
  onChange,
}: RulesProps & { below: boolean }) {
  const { t } = useTranslation()
  const asAbove = below ? t('reception.asAbove') : undefined
  const number = (value: string | number) =>
    value === '' ? null : Number(value)
  const known = sectors.some((sector) => sector.id === menu.fallback)
  return (
    <div className={classes.rules}>
      <CountedField
        long
        label={t('reception.invalid')}
        description={below ? undefined : t('reception.invalidText')}
        placeholder={asAbove}
        most={most.text}
        value={menu.invalidText}
        error={wrong[`${at}.invalid_text`]}
        onChange={(invalidText) => onChange({ ...menu, invalidText })}
      />
      <NumberInput
        label={t('reception.maxInvalid')}
        placeholder={asAbove ?? '2'}
        min={1}
        max={5}
        allowDecimal={false}
        allowNegative={false}
        value={menu.maxInvalid ?? ''}
        error={wrong[`${at}.max_invalid`]}
        onChange={(value) => onChange({ ...menu, maxInvalid: number(value) })}
      />
      <NumberInput
        label={t('reception.timeout')}
        placeholder={asAbove ?? '10'}
        min={1}
        max={1440}
        allowDecimal={false}
        allowNegative={false}
        value={menu.timeout ?? ''}
        error={wrong[`${at}.timeout_minutes`]}
        onChange={(value) => onChange({ ...menu, timeout: number(value) })}
      />
      <NativeSelect
        label={t('reception.fallback')}
        description={below ? undefined : t('reception.fallbackText')}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        value={menu.fallback}
        error={wrong[`${at}.fallback_sector`]}
        onChange={(event) =>
          onChange({ ...menu, fallback: event.currentTarget.value })
        }
        data={[
          { value: '', label: asAbove ?? t('reception.generalQueue') },
          ...(known || !menu.fallback
            ? []
            : [{ value: menu.fallback, label: t('reception.removed') }]),
          ...sectors.map(({ id, name }) => ({ value: id, label: name })),
        ]}
      />
    </div>
  )
}
