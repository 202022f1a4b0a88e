import { IconBan } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useNames } from '../api/queries'
import type { Contact } from '../api/types'
import { Avatar } from '../ui/Avatar'
import { moment, phone } from '../ui/format'
import { LabelTag } from '../ui/LabelTag'
import { usePhone } from '../ui/usePhone'
import type { ContactSearch } from './search'
import classes from './ContactTable.module.css'

type Props = {
  rows: Contact[]
  more: boolean
  open: string | undefined
  onOpen: (id: string) => void
  onEnd: () => void
}

const columns = [
  'name',
  'phone',
  'company',
  'city',
  'labels',
  'channel',
  'created',
] as const

/** ContactTable renders the visible rows and loads more before the last one is reached. */
export function ContactTable({ rows, more, open, onOpen, onEnd }: Props) {
  const { t } = useTranslation()
  const names = useNames()
  const small = usePhone()
  const scroll = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => (small ? 64 : 40),
    overscan: 10,
    getItemKey: (index) => rows[index]?.id ?? index,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (last >= rows.length - 30) onEnd()
  }, [last, rows.length, onEnd])
  useEffect(() => virtual.measure(), [small, virtual])

  return (
    <div ref={scroll} className={classes.scroll}>
      <div
        role="table"
        aria-label={t('contacts.title')}
        aria-rowcount={more ? -1 : rows.length + 1}
        className={classes.table}
      >
        <div role="rowgroup" className={classes.header}>
          <div role="row" aria-rowindex={1} className={classes.row}>
            {columns.map((column) => (
              <span
                key={column}
                role="columnheader"
                data-column={column}
                className={classes.cell}
              >
                {t(`contacts.column.${column}`)}
              </span>
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          className={classes.body}
          style={{ height: virtual.getTotalSize() }}
        >
          {items.map((item) => {
            const contact = rows[item.index]
            if (!contact) return null
            return (
              <div
                key={item.key}
                role="row"
                aria-rowindex={item.index + 2}
                aria-current={contact.id === open || undefined}
                className={classes.row}
                style={{ transform: `translateY(${item.start}px)` }}
                onClick={() => onOpen(contact.id)}
              >
                <span role="cell" data-column="name" className={classes.cell}>
                  <Avatar
                    id={contact.id}
                    name={contact.name}
                    size={small ? 40 : 28}
                  />
                  <Link
                    to="/contacts/$contact"
                    params={{ contact: contact.id }}
                    search={(before: ContactSearch) => before}
                    className={classes.name}
                    onClick={(event) => event.stopPropagation()}
                  >
                    {contact.name}
                  </Link>
                  {contact.blocked && (
                    <span className={classes.blocked}>
                      <IconBan size={13} aria-hidden />
                      {t('details.blocked')}
                    </span>
                  )}
                </span>
                <span role="cell" data-column="phone" className={classes.cell}>
                  {phone(contact.phone)}
                </span>
                <span
                  role="cell"
                  data-column="company"
                  className={classes.cell}
                >
                  {contact.company}
                </span>
                <span role="cell" data-column="city" className={classes.cell}>
                  {contact.city}
                </span>
                <span role="cell" data-column="labels" className={classes.cell}>
                  {contact.label_ids.map((id) => (
                    <LabelTag key={id} label={names.label(id)} />
                  ))}
                </span>
                <span
                  role="cell"
                  data-column="channel"
                  className={classes.cell}
                >
                  {names.channel(contact.channel_id)?.name}
                </span>
                <span
                  role="cell"
                  data-column="created"
                  className={classes.cell}
                >
                  {moment(contact.created_at)}
                </span>
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}
