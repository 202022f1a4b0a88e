import { Button } from '@mantine/core'
import { IconDownload, IconHistory } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { saveCsv } from '../../api/csv'
import { keys } from '../../api/keys'
import { LoadedPages } from '../../api/LoadedPages'
import { useNames } from '../../api/queries'
import type { AuditEntry } from '../../api/types'
import { day, dayKey } from '../../ui/format'
import { Page } from '../../ui/Layout'
import { Empty } from '../../ui/states'
import { useHours } from '../hours/useHours'
import { AuditFilters } from './AuditFilters'
import { AuditItem } from './AuditItem'
import { auditQuery, readAuditSearch, type AuditSearch } from './search'
import type { NameOf } from './values'
import classes from './Audit.module.css'

const pageSize = 50

/** useAudit loads the entries page by page, newest first. */
function useAudit(search: AuditSearch) {
  const query = useMemo(() => auditQuery(search), [search])
  return useInfiniteQuery({
    queryKey: keys.audit(query),
    staleTime: 0,
    placeholderData: keepPreviousData,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        api.GET('/audit', {
          params: {
            query: {
              ...query,
              limit: pageSize,
              ...(pageParam ? { cursor: pageParam } : {}),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.next_cursor ?? null,
  })
}

/** useNameOf returns the names of people, departments, numbers, labels and opening hours by id. */
function useNameOf(): NameOf {
  const names = useNames()
  const hours = useHours().data
  return (id) =>
    names.person(id) ??
    names.sector(id) ??
    names.channel(id)?.name ??
    names.label(id)?.name ??
    hours?.find((one) => one.id === id)?.name
}

/** Audit is the page that shows who changed what. */
export default function Audit() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const raw = useSearch({ strict: false })
  const search = useMemo(() => readAuditSearch(raw), [raw])
  const list = useAudit(search)
  const nameOf = useNameOf()
  const entries = (list.data?.pages ?? []).flatMap((page) => page.data)
  const filtered = Object.values(search).some(Boolean)
  const show = (next: AuditSearch) =>
    void navigate({
      to: '/settings/$',
      params: { _splat: 'audit' },
      search: next as object,
      replace: true,
    })
  const change = (part: AuditSearch) => show({ ...search, ...part })
  const save = async () => {
    await saveCsv(
      '/audit',
      auditQuery(search),
      `audit-${dayKey(new Date())}.csv`,
    )
    void list.refetch() // the download is recorded too
  }
  return (
    <Page
      title={t('audit.title')}
      text={t('audit.text')}
      action={
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          disabled={entries.length === 0}
          onClick={() => void save()}
        >
          {t('audit.download')}
        </Button>
      }
    >
      <AuditFilters search={search} onChange={change} />
      <LoadedPages
        list={list}
        isEmpty={entries.length === 0}
        rows={8}
        empty={
          <Empty
            icon={<IconHistory size={28} />}
            title={filtered ? t('audit.noneFound') : t('audit.none')}
          >
            {filtered && (
              <Button variant="default" onClick={() => show({})}>
                {t('audit.clear')}
              </Button>
            )}
          </Empty>
        }
      >
        <div aria-busy={list.isPlaceholderData} className={classes.days}>
          {byDay(entries).map(([key, ofDay]) => (
            <section key={key} aria-label={day(ofDay[0].at)}>
              <h2 className={classes.day}>{day(ofDay[0].at)}</h2>
              <ul className={classes.list} aria-label={t('audit.list')}>
                {ofDay.map((entry) => (
                  <AuditItem
                    key={entry.id}
                    entry={entry}
                    nameOf={nameOf}
                    onFilter={show}
                  />
                ))}
              </ul>
            </section>
          ))}
        </div>
      </LoadedPages>
    </Page>
  )
}

type Day = [key: string, entries: [AuditEntry, ...AuditEntry[]]]

/** byDay groups entries, which are in order, by their day. */
function byDay(entries: AuditEntry[]): Day[] {
  const days: Day[] = []
  for (const entry of entries) {
    const key = dayKey(entry.at)
    const last = days.at(-1)
    if (last?.[0] === key) last[1].push(entry)
    else days.push([key, [entry]])
  }
  return days
}
