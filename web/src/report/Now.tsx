import { Table } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useId, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { refusal, requestIdOf } from '../api/refusal'
import { useCounts, useHasPolicies, useMe } from '../api/queries'
import type { CurrentReport, Load } from '../api/types'
import { useNow } from '../ui/useNow'
import { onLiveEvent } from '../live/useLive'
import { duration, number, waitTone } from '../ui/format'
import { Page, SectionHead } from '../ui/Layout'
import { Empty, Failure, Loading } from '../ui/states'
import report from './Report.module.css'
import classes from './Now.module.css'

/** Now is the page with the current workload of people and departments. */
export default function Now() {
  const { t } = useTranslation()
  return useMe().scopes.includes('reports:read') ? (
    <Shown />
  ) : (
    <Empty
      icon={<IconLock size={28} />}
      title={t('refusal.insufficient_role')}
    />
  )
}

/** useCurrentReport fetches the report again when cases or presence change, at most every two seconds. */
function useCurrentReport() {
  const client = useQueryClient()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onLiveEvent(() => {
      timer ??= setTimeout(() => {
        timer = undefined
        void client.invalidateQueries({ queryKey: keys.currentReport })
      }, 2000)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [client])
  return useQuery({
    queryKey: keys.currentReport,
    staleTime: 0,
    queryFn: () => unwrap(api.GET('/reports/now')),
  })
}

function Shown() {
  const { t } = useTranslation()
  const current = useCurrentReport()
  return (
    <div className={report.scroll}>
      <Page wide title={t('now.title')} text={t('now.text')}>
        {current.isPending && <Loading rows={4} height={80} />}
        {current.isError && (
          <Failure
            message={refusal(current.error, t)}
            requestId={requestIdOf(current.error)}
            onRetry={() => void current.refetch()}
          />
        )}
        {current.data && <Figures now={current.data} />}
      </Page>
    </div>
  )
}

/** Figures shows the totals and the tables of people and departments. Each figure links to its conversations. */
function Figures({ now }: { now: CurrentReport }) {
  const { t } = useTranslation()
  const measured = useHasPolicies()
  const atRisk = useCounts().data?.at_risk ?? 0
  const online = now.people.filter((one) => one.presence === 'online')
  const people = now.people
    .filter((one) => one.presence !== 'offline' || one.open > 0)
    .sort(
      (a, b) =>
        order[a.presence] - order[b.presence] ||
        a.user.name.localeCompare(b.user.name),
    )
  return (
    <>
      <div className={`${report.totals} ${classes.totals}`}>
        <Total name={t('now.online')}>{number(online.length)}</Total>
        <Total name={t('now.open')} view="open">
          {number(now.open)}
        </Total>
        <Total name={t('now.unassigned')} view="waiting">
          {number(now.unassigned)}
        </Total>
        <Total
          name={t('now.unanswered')}
          view="open"
          search={{ sort: 'oldest_waiting' }}
        >
          {number(now.unanswered)}
        </Total>
        {measured && (
          <Total name={t('view.at_risk')} view="at_risk">
            {number(atRisk)}
          </Total>
        )}
      </div>
      <div className={report.tables}>
        <Workload
          title={t('report.byPerson')}
          head={t('report.person')}
          rows={people.map((one) => ({
            key: one.user.id,
            name: (
              <>
                <span
                  className={classes.dot}
                  data-presence={one.presence}
                  aria-hidden
                />
                {one.user.name}{' '}
                <small className={classes.presence}>
                  {t(`presence.${one.presence}`)}
                </small>
              </>
            ),
            load: one,
            search: { person: one.user.id },
          }))}
        />
        <Workload
          title={t('report.bySector')}
          head={t('report.sector')}
          queues
          rows={now.sectors.map((one) => ({
            key: one.sector?.id ?? '',
            name: one.sector?.name ?? t('report.noSector'),
            load: one,
            search: one.sector ? { sector: one.sector.id } : null,
          }))}
        />
      </div>
    </>
  )
}

const order = { online: 0, away: 1, offline: 2 }

type View = 'open' | 'waiting' | 'at_risk'
type Search = { person?: string; sector?: string; sort?: 'oldest_waiting' }

function Total({
  name,
  view,
  search = {},
  children,
}: {
  name: string
  view?: View
  search?: Search
  children: ReactNode
}) {
  const id = useId()
  return (
    <section className={report.total} aria-labelledby={id}>
      <span id={id} className={report.name}>
        {name}
      </span>
      <strong>
        <To view={view} search={search} name={name}>
          {children}
        </To>
      </strong>
    </section>
  )
}

/** To links a figure to the conversations behind it. Without a view it is plain text. */
function To({
  view,
  search,
  name,
  children,
}: {
  view: View | undefined
  search: Search | null
  name: string
  children: ReactNode
}) {
  if (!view || !search) return children
  return (
    <Link
      to="/inbox/$view"
      params={{ view }}
      search={search}
      className={classes.figure}
      title={name}
    >
      {children}
    </Link>
  )
}

type Row = {
  key: string
  name: ReactNode
  load: Load
  search: Search | null
}

/** Workload lists the open cases, the unanswered ones and the longest wait by person or department. */
function Workload({
  title,
  head,
  rows,
  queues = false,
}: {
  title: string
  head: string
  rows: Row[]
  queues?: boolean
}) {
  const { t } = useTranslation()
  const id = useId()
  return (
    <div className={report.list}>
      <SectionHead id={id} title={title} />
      <div
        className={`${report.listTable} ${classes.table}`}
        tabIndex={0}
        role="region"
        aria-labelledby={id}
      >
        <Table aria-labelledby={id} verticalSpacing={6} horizontalSpacing={8}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{head}</Table.Th>
              <Table.Th ta="right">{t('now.openHead')}</Table.Th>
              {queues && <Table.Th ta="right">{t('now.unassigned')}</Table.Th>}
              <Table.Th ta="right">{t('now.unanswered')}</Table.Th>
              <Table.Th ta="right">{t('now.longest')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ key, name, load, search }) => (
              <Table.Tr key={key}>
                <Table.Th scope="row" fw={500}>
                  {name}
                </Table.Th>
                <Table.Td ta="right">
                  <To view="open" search={search} name={t('now.open')}>
                    {number(load.open)}
                  </To>
                </Table.Td>
                {queues && (
                  <Table.Td ta="right">
                    <To
                      view="waiting"
                      search={search}
                      name={t('now.unassigned')}
                    >
                      {number(load.unassigned)}
                    </To>
                  </Table.Td>
                )}
                <Table.Td ta="right">
                  <To
                    view="open"
                    search={search && { ...search, sort: 'oldest_waiting' }}
                    name={t('now.unanswered')}
                  >
                    {number(load.unanswered)}
                  </To>
                </Table.Td>
                <Table.Td ta="right">
                  <Wait since={load.oldest_waiting_at} />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </div>
  )
}

/** Wait shows how long a customer has been waiting, in the colours of the list. */
function Wait({ since }: { since: string | null }) {
  const now = useNow()
  if (!since) return '—'
  const seconds = Math.max(60, (now - Date.parse(since)) / 1000)
  return (
    <span className={classes.wait} data-tone={waitTone(seconds)}>
      {duration(seconds)}
    </span>
  )
}
