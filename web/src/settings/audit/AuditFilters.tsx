import { NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { useChannels, useMe, useSectors, useTeam } from '../../api/queries'
import { actionGroups, type AuditSearch } from './search'
import classes from './Audit.module.css'

type Named = { id: string; name: string }
type Props = { search: AuditSearch; onChange: (search: AuditSearch) => void }

const options = (all: readonly Named[] | undefined) =>
  (all ?? []).map(({ id, name }) => ({ value: id, label: name }))

/** useApiKeys returns the API keys, for those who may see them. */
function useApiKeys(): Named[] {
  const may = useMe().scopes.includes('keys:manage')
  return (
    useQuery({
      queryKey: keys.apiKeys,
      enabled: may,
      queryFn: () => unwrap(api.GET('/keys')).then((page) => page.data),
    }).data ?? []
  )
}

/** AuditFilters selects who did what, about whom or what, and when. */
export function AuditFilters({ search, onChange }: Props) {
  const { t } = useTranslation()
  const team = useTeam().data
  const channels = useChannels().data
  const sectors = useSectors().data
  const apiKeys = useApiKeys()
  const subjects = [
    { group: t('audit.people'), items: options(team) },
    { group: t('audit.choice.channel'), items: options(channels) },
    { group: t('audit.choice.sector'), items: options(sectors) },
    { group: t('audit.choice.key'), items: options(apiKeys) },
  ].filter(({ items }) => items.length > 0)
  const listed = (value: string | undefined) =>
    !value ||
    subjects.some(({ items }) => items.some((one) => one.value === value))
  // The chosen person or key may have been removed since.
  const missing = (value: string | undefined, name: string | undefined) =>
    value && !listed(value) ? [{ value, label: name ?? value }] : []
  const wrongOrder = search.from && search.to && search.from > search.to
  return (
    <div
      className={classes.filters}
      role="group"
      aria-label={t('audit.filters')}
    >
      <Choice
        label={t('audit.whoLabel')}
        value={search.actor}
        onChange={(actor) => onChange({ actor, who: undefined })}
      >
        <option value="">{t('audit.everyone')}</option>
        <Options title={t('audit.people')} items={options(team)} />
        <Options
          title={t('audit.others')}
          items={[
            { value: 'key', label: t('audit.anyKey') },
            { value: 'system', label: t('audit.who.system') },
            { value: 'operator', label: t('audit.who.operator') },
            ...missing(
              ['key', 'system', 'operator'].includes(search.actor ?? '')
                ? undefined
                : search.actor,
              search.who,
            ),
          ]}
        />
        <Options title={t('audit.anyKey')} items={options(apiKeys)} />
      </Choice>
      <Choice
        label={t('audit.what')}
        value={search.action}
        onChange={(action) => onChange({ action })}
      >
        <option value="">{t('audit.everything')}</option>
        {actionGroups.map(({ name, actions }) => (
          <Options
            key={name}
            title={t(`audit.group.${name}`)}
            items={actions.map((one) => ({
              value: one,
              label: t(`audit.choice.${one}`),
            }))}
          />
        ))}
      </Choice>
      <Choice
        label={t('audit.about')}
        value={search.subject}
        onChange={(subject) => onChange({ subject, name: undefined })}
      >
        <option value="">{t('audit.everything')}</option>
        {missing(search.subject, search.name).map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
        {subjects.map(({ group, items }) => (
          <Options key={group} title={group} items={items} />
        ))}
      </Choice>
      <TextInput
        type="date"
        size="xs"
        label={t('audit.from')}
        value={search.from ?? ''}
        error={wrongOrder && t('audit.order')}
        onChange={(event) =>
          onChange({ from: event.currentTarget.value || undefined })
        }
      />
      <TextInput
        type="date"
        size="xs"
        label={t('audit.to')}
        value={search.to ?? ''}
        onChange={(event) =>
          onChange({ to: event.currentTarget.value || undefined })
        }
      />
    </div>
  )
}

function Choice({
  label,
  value,
  children,
  onChange,
}: {
  label: string
  value: string | undefined
  children: ReactNode
  onChange: (value: string | undefined) => void
}) {
  return (
    <NativeSelect
      size="xs"
      label={label}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    >
      {children}
    </NativeSelect>
  )
}

function Options({
  title,
  items,
}: {
  title: string
  items: { value: string; label: string }[]
}) {
  if (items.length === 0) return null
  return (
    <optgroup label={title}>
      {items.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </optgroup>
  )
}
