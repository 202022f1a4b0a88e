import { NativeSelect, TextInput } from '@mantine/core'
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

/** MessageFilters narrows a message search. Both days are inclusive. */
export function MessageFilters({
  filter,
  onChange,
}: {
  filter: MessageFilter
  onChange: (change: Partial<MessageFilter>) => void
}) {
  const { t } = useTranslation()
  const all = { value: '', label: t('filters.all') }
  const named = (list: { id: string; name: string }[] | undefined) => [
    all,
    ...(list ?? []).map(({ id, name }) => ({ value: id, label: name })),
  ]
  const select = (
    label: string,
    value: string | undefined,
    data: { value: string; label: string }[],
    change: (value: string | undefined) => void,
  ) => (
    <NativeSelect
      size="xs"
      label={label}
      value={value ?? ''}
      data={data}
      onChange={(event) => change(event.currentTarget.value || undefined)}
    />
  )
  const day = (
    label: string,
    value: string | undefined,
    change: (value: string | undefined) => void,
  ) => (
    <TextInput
      size="xs"
      type="date"
      label={label}
      value={value ?? ''}
      onChange={(event) => change(event.currentTarget.value || undefined)}
    />
  )
  return (
    <div
      role="group"
      aria-label={t('messageSearch.filters')}
      className={`${classes.filters} ${classes.inset}`}
    >
      {select(
        t('filters.channel'),
        filter.channel,
        named(useChannels().data),
        (channel) => onChange({ channel }),
      )}
      {select(
        t('messageSearch.user'),
        filter.user,
        named(useTeam().data),
        (user) => onChange({ user }),
      )}
      {select(
        t('messageSearch.direction'),
        filter.direction,
        [
          all,
          { value: 'inbound', label: t('messageSearch.inbound') },
          { value: 'outbound', label: t('messageSearch.outbound') },
        ],
        (direction) =>
          onChange({ direction: direction as MessageFilter['direction'] }),
      )}
      {select(
        t('filters.kind'),
        filter.type,
        [
          all,
          ...types.map((type) => ({
            value: type,
            label: t(`messageSearch.type.${type}`),
          })),
        ],
        (type) => onChange({ type: type as MessageFilter['type'] }),
      )}
      {day(t('messageSearch.from'), filter.from, (from) => onChange({ from }))}
      {day(t('messageSearch.to'), filter.to, (to) => onChange({ to }))}
    </div>
  )
}
