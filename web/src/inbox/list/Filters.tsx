import { Button, NativeSelect, Switch, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import {
  useChannels,
  useLabels,
  useMe,
  useSectors,
  useTeam,
} from '../../api/queries'
import type { ConversationQuery } from '../../api/types'
import { useActions } from '../actions'
import type { Search } from './view'
import classes from './Filters.module.css'

/** Filters narrows the list; the filters can be saved as a view. */
export function Filters({
  search,
  query,
  onSearch,
  onClose,
}: {
  search: Search
  query: ConversationQuery
  onSearch: (change: Partial<Search>) => void
  onClose: () => void
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
  const people = [
    all,
    { value: 'me', label: t('filters.me') },
    { value: 'none', label: t('filters.nobody') },
    ...(useTeam().data ?? []).map(({ id, name }) => ({
      value: id,
      label: name,
    })),
  ]
  return (
    <div className={classes.filters}>
      {select(
        t('filters.channel'),
        search.channel,
        named(useChannels().data),
        (channel) => onSearch({ channel }),
      )}
      {select(
        t('filters.sector'),
        search.sector,
        named(useSectors().data),
        (sector) => onSearch({ sector }),
      )}
      {select(t('filters.person'), search.person, people, (person) =>
        onSearch({ person }),
      )}
      {select(
        t('filters.label'),
        search.label,
        named(useLabels().data),
        (label) => onSearch({ label }),
      )}
      {select(
        t('filters.kind'),
        search.kind,
        [
          all,
          { value: 'direct', label: t('filters.direct') },
          { value: 'group', label: t('filters.group') },
        ],
        (kind) => onSearch({ kind: kind as Search['kind'] }),
      )}
      <SaveView query={query} onSaved={onClose} />
    </div>
  )
}

/** SaveView saves the filters as a view and opens it. */
function SaveView({
  query,
  onSaved,
}: {
  query: ConversationQuery
  onSaved: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { attempt } = useActions()
  const me = useMe()
  const [naming, setNaming] = useState(false)
  const [name, setName] = useState('')
  const [shared, setShared] = useState(false)
  const save = () =>
    attempt(async () => {
      const saved = await unwrap(
        api.POST('/views', { body: { name: name.trim(), query, shared } }),
      )
      await client.invalidateQueries({ queryKey: keys.views })
      void client.invalidateQueries({ queryKey: keys.counts })
      onSaved()
      void navigate({
        to: '/inbox/$view',
        params: { view: `view-${saved.id}` },
      })
    }, t('filters.saved'))
  return (
    <>
      <Button
        variant="default"
        size="xs"
        className={classes.save}
        aria-expanded={naming}
        onClick={() => setNaming(!naming)}
      >
        {t('filters.save')}
      </Button>
      {naming && (
        <form
          className={classes.form}
          onSubmit={(event) => {
            event.preventDefault()
            void save()
          }}
        >
          <TextInput
            autoFocus
            size="xs"
            label={t('filters.name')}
            required
            withAsterisk={false}
            maxLength={120}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          {me.user.role !== 'agent' && (
            <Switch
              size="xs"
              label={t('filters.shared')}
              checked={shared}
              onChange={(event) => setShared(event.currentTarget.checked)}
            />
          )}
          <Button type="submit" size="xs">
            {t('common.save')}
          </Button>
        </form>
      )}
    </>
  )
}
