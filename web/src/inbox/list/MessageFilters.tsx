import { useTranslation } from 'react-i18next'
import { useChannels, useTeam } from '../../api/queries'
import type { MessageQuery } from '../../api/types'
import classes from './Filters.module.css'

export type MessageFilter = Pick<
  MessageQuery,
  'channel' | 'user' | 'direction' | 'type' | 'from' | 'to'
>

const types = ['text', 'image', 'audio', 'video', 'document'] as const

/** dayAfter returns the day after a date, because the server's "to" is exclusive. */
export function dayAfter(date: string): string {
  const next = new Date(`${date}T00:00:00Z`)
  next.setUTCDate(next.getUTCDate() + 1)
  return next.toISOString().slice(0, 10)
}

/** MessageFilters narrows a message search with one chip per filter. Both days are inclusive. */
export function MessageFilters({
  filter,
  onChange,
}: {
  filter: MessageFilter
  onChange: (change: Partial<MessageFilter>) => void
}) {
  const { t } = useTranslation()
  const named = (list: { id: string; name: string }[] | undefined) =>
    (list ?? []).map(({ id, name }) => ({ value: id, label: name }))
  const select = (
    field: 'channel' | 'user' | 'direction' | 'type',
    label: string,
    data: { value: string; label: string }[],
  ) => (
    <select
      aria-label={label}
      className={classes.pill}
      data-set={filter[field] ? '' : undefined}
      value={filter[field] ?? ''}
      onChange={(event) =>
        onChange({ [field]: event.currentTarget.value || undefined })
      }
    >
      <option value="">{label}</option>
      {data.map((one) => (
        <option key={one.value} value={one.value}>
          {one.label}
        </option>
      ))}
    </select>
  )
  const day = (field: 'from' | 'to', label: string) => (
    <label className={classes.pill} data-set={filter[field] ? '' : undefined}>
      <span>{label}</span>
      <input
        type="date"
        value={filter[field] ?? ''}
        onChange={(event) =>
          onChange({ [field]: event.currentTarget.value || undefined })
        }
      />
    </label>
  )
  return (
    <div
      role="group"
      aria-label={t('messageSearch.filters')}
      className={classes.pills}
    >
      {select('channel', t('filters.channel'), named(useChannels().data))}
      {select('user', t('messageSearch.user'), named(useTeam().data))}
      {select('direction', t('messageSearch.direction'), [
        { value: 'inbound', label: t('messageSearch.inbound') },
        { value: 'outbound', label: t('messageSearch.outbound') },
      ])}
      {select(
        'type',
        t('filters.kind'),
        types.map((type) => ({
          value: type,
          label: t(`messageSearch.type.${type}`),
        })),
      )}
      {day('from', t('messageSearch.from'))}
      {day('to', t('messageSearch.to'))}
    </div>
  )
}
