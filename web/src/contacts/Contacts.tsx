import { ActionIcon, Button, NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import {
  IconAddressBook,
  IconDownload,
  IconPlus,
  IconSearch,
} from '@tabler/icons-react'
import {
  Outlet,
  useNavigate,
  useParams,
  useSearch,
} from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { saveCsv } from '../api/csv'
import { useChannels, useLabels, useMe } from '../api/queries'
import { refusal, requestIdOf } from '../api/refusal'
import { FieldFilter } from '../fields/FieldFilter'
import { fieldParameters } from '../fields/filter'
import { dayKey } from '../ui/format'
import { Empty, Failure, Loading } from '../ui/states'
import { ContactDetails } from './ContactDetails'
import { ContactTable } from './ContactTable'
import { ImportButton } from './ImportButton'
import { NewContactDialog } from './NewContactDialog'
import type { ContactSearch } from './search'
import { useContacts } from './useContacts'
import classes from './Contacts.module.css'

/** Contacts is the contacts page: a list with search and filters, and the selected contact next to it. */
export default function Contacts() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const search: ContactSearch = useSearch({ from: '/contacts' })
  const { contact: open } = useParams({ strict: false })
  const { scopes } = useMe()
  const mayWrite = scopes.includes('contacts:write')
  const mayImport = scopes.includes('data:manage')
  const labels = useLabels().data
  const channels = useChannels().data
  const [creating, setCreating] = useState(false)
  const [text, setText] = useState(search.q ?? '')
  const query = useMemo(
    () => ({
      q: search.q,
      label: search.label,
      channel: search.channel,
      ...fieldParameters({ field: search.field, value: search.value }),
    }),
    [search.q, search.label, search.channel, search.field, search.value],
  )
  const { list, rows } = useContacts(query)
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = list

  const change = (fields: Partial<ContactSearch>) =>
    void navigate({
      to: '.',
      search: (before: ContactSearch) => ({ ...before, ...fields }),
      replace: true,
    })
  const apply = useDebouncedCallback(
    (q: string) => change({ q: q.trim() || undefined }),
    250,
  )
  useEffect(
    () =>
      setText((before) =>
        before.trim() === (search.q ?? '') ? before : (search.q ?? ''),
      ),
    [search.q],
  )
  const show = useCallback(
    (contact: string) =>
      void navigate({
        to: '/contacts/$contact',
        params: { contact },
        search: (before: ContactSearch) => before,
      }),
    [navigate],
  )
  const onEnd = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])

  const filtered = !!(
    search.q ||
    search.label ||
    search.channel ||
    search.value
  )
  const filter = (
    label: string,
    value: string | undefined,
    all: { id: string; name: string }[] | undefined,
    set: (value: string | undefined) => void,
  ) => (
    <NativeSelect
      label={label}
      value={value ?? ''}
      classNames={{ root: classes.filter, label: classes.filterLabel }}
      data={[
        { value: '', label: t('filters.all') },
        ...(all ?? []).map((one) => ({ value: one.id, label: one.name })),
      ]}
      onChange={(event) => set(event.currentTarget.value || undefined)}
    />
  )
  return (
    <div className={classes.contacts} data-open={open ? '' : undefined}>
      <section className={classes.pane} aria-label={t('contacts.title')}>
        <header className={classes.head}>
          <h1 className={classes.heading}>{t('contacts.title')}</h1>
          <TextInput
            className={classes.search}
            type="search"
            role="searchbox"
            aria-label={t('contacts.search')}
            placeholder={t('contacts.search')}
            leftSection={<IconSearch size={16} />}
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value)
              apply(event.currentTarget.value)
            }}
          />
          {filter(t('filters.label'), search.label, labels, (label) =>
            change({ label }),
          )}
          {filter(t('filters.channel'), search.channel, channels, (channel) =>
            change({ channel }),
          )}
          <FieldFilter
            entity="contact"
            filter={search}
            classNames={{ root: classes.filter, label: classes.filterLabel }}
            onChange={change}
          />
          <ActionIcon
            className={classes.save}
            variant="default"
            size={36}
            aria-label={t('contacts.download')}
            title={t('contacts.download')}
            disabled={rows.length === 0}
            onClick={() =>
              void saveCsv(
                '/contacts',
                query,
                `contacts-${dayKey(new Date())}.csv`,
              )
            }
          >
            <IconDownload size={17} />
          </ActionIcon>
          {mayImport && <ImportButton search={search} />}
          {mayWrite && (
            <Button
              className={classes.new}
              leftSection={<IconPlus size={16} />}
              onClick={() => setCreating(true)}
            >
              {t('contacts.new')}
            </Button>
          )}
        </header>
        {list.isPending ? (
          <Loading rows={10} height={36} />
        ) : list.isError ? (
          <Failure
            message={refusal(list.error, t)}
            requestId={requestIdOf(list.error)}
            onRetry={() => void list.refetch()}
          />
        ) : rows.length === 0 ? (
          <Empty
            icon={<IconAddressBook size={28} />}
            title={filtered ? t('list.nothingFound') : t('contacts.none')}
            text={filtered ? undefined : t('contacts.noneText')}
          >
            {filtered ? (
              <Button
                variant="default"
                onClick={() =>
                  change({
                    q: undefined,
                    label: undefined,
                    channel: undefined,
                    field: undefined,
                    value: undefined,
                  })
                }
              >
                {t('list.clear')}
              </Button>
            ) : (
              mayWrite && (
                <Button variant="default" onClick={() => setCreating(true)}>
                  {t('contacts.new')}
                </Button>
              )
            )}
          </Empty>
        ) : (
          <ContactTable
            rows={rows}
            more={hasNextPage}
            open={open}
            onOpen={show}
            onEnd={onEnd}
          />
        )}
      </section>
      {open && (
        <ContactDetails
          key={open}
          id={open}
          listed={rows.find((one) => one.id === open)}
          onClose={() =>
            void navigate({
              to: '/contacts',
              search: (before: ContactSearch) => before,
            })
          }
        />
      )}
      {creating && (
        <NewContactDialog onClose={() => setCreating(false)} onOpen={show} />
      )}
      <Outlet />
    </div>
  )
}
