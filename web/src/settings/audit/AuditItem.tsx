import { UnstyledButton } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AuditEntry } from '../../api/types'
import { clock } from '../../ui/format'
import { AuditDetails } from './AuditDetails'
import type { AuditSearch } from './search'
import { partsOf } from './sentence'
import { fieldName, valueText, type NameOf } from './values'
import classes from './Audit.module.css'

type Props = {
  entry: AuditEntry
  nameOf: NameOf
  onFilter: (search: AuditSearch) => void
}

const summarised = 2

/** AuditItem is an entry as a sentence; opened, it shows everything that is recorded. */
export function AuditItem({ entry, nameOf, onFilter }: Props) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  const id = useId()
  return (
    <li className={classes.item}>
      <UnstyledButton
        className={classes.line}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <time dateTime={entry.at} className={classes.time}>
          {clock(entry.at)}
        </time>
        <span className={classes.sentence}>
          <span>
            {partsOf(entry, t).map(({ text, name }, index) =>
              name ? <strong key={index}>{text}</strong> : text,
            )}
          </span>
          <Summary entry={entry} nameOf={nameOf} />
        </span>
        <IconChevronDown size={16} aria-hidden className={classes.chevron} />
      </UnstyledButton>
      {open && (
        <div id={id}>
          <AuditDetails entry={entry} nameOf={nameOf} onFilter={onFilter} />
        </div>
      )}
    </li>
  )
}

/** Summary shows the first changes of an update in one line, and the address. */
function Summary({ entry, nameOf }: Pick<Props, 'entry' | 'nameOf'>) {
  const { t } = useTranslation()
  const { action, changes, ip } = entry
  const told = action === 'member.updated' && changes[0]?.field === 'role'
  const updates =
    action.endsWith('.updated') && !(told && changes.length === 1)
      ? changes
      : []
  const facts = updates.slice(0, summarised).map(({ field, from, to }) =>
    t('audit.arrow', {
      field: fieldName(field, t),
      from: short(valueText(field, from, t, nameOf)),
      to: short(valueText(field, to, t, nameOf)),
    }),
  )
  if (updates.length > summarised)
    facts.push(t('audit.more', { count: updates.length - summarised }))
  if (ip) facts.push(ip)
  return facts.length > 0 ? (
    <span className={classes.facts}>{facts.join(' · ')}</span>
  ) : null
}

const short = (text: string) =>
  text.length > 60 ? `${text.slice(0, 59)}…` : text
