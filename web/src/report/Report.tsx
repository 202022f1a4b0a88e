import { Button } from '@mantine/core'
import { IconDownload, IconLock } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { refusal, requestIdOf } from '../api/refusal'
import { useMe } from '../api/queries'
import { download } from '../ui/download'
import { dayKey } from '../ui/format'
import { Page } from '../ui/Layout'
import { Empty, Failure, Loading } from '../ui/states'
import { CaseFilters } from './CaseLink'
import { Filters } from './Filters'
import { Parts } from './Part'
import { ReportTabs } from './ReportTabs'
import { Results } from './Results'
import { reportCsv } from './csv'
import { dayName } from './figures'
import { days, presets, problemOf, type ReportSearch } from './period'
import classes from './Report.module.css'

/** Report is the page with the number of cases and the team's response times. */
export default function Report() {
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

function Shown() {
  const { t, i18n } = useTranslation()
  const { company } = useMe()
  const navigate = useNavigate()
  const search = useSearch({ from: '/report' })
  const [, , days30] = presets(dayKey(new Date()))
  const period = {
    from: search.from ?? days30?.period.from ?? '',
    to: search.to ?? days30?.period.to ?? '',
  }
  const query = {
    ...period,
    ...(search.sector ? { sector: search.sector } : {}),
    ...(search.user ? { user: search.user } : {}),
  }
  const wrong = problemOf(period)
  const report = useQuery({
    queryKey: keys.report(query),
    staleTime: 0,
    enabled: wrong === null,
    placeholderData: keepPreviousData,
    queryFn: () =>
      unwrap(api.GET('/reports/attendance', { params: { query } })),
  })
  const change = (next: ReportSearch) =>
    void navigate({
      to: '/report',
      search: { ...search, ...period, ...next },
      replace: true,
    })
  const save = () =>
    report.data &&
    download(
      `report-${report.data.from}-${report.data.to}.csv`,
      reportCsv(report.data, t, i18n.language),
      'text/csv;charset=utf-8',
    )
  return (
    <div className={classes.scroll}>
      <ReportTabs period={days(search)} />
      <Page
        wide
        title={t('report.title')}
        text={[
          `${dayName(period.from, 'long')} – ${dayName(period.to, 'long')}`,
          company.timezone,
          report.data &&
            t('report.compared', {
              from: dayName(report.data.previous.from, 'medium'),
              to: dayName(report.data.previous.to, 'medium'),
            }),
        ]
          .filter(Boolean)
          .join(' · ')}
        action={
          <Button
            className={classes.control}
            variant="default"
            leftSection={<IconDownload size={16} />}
            disabled={!report.data || wrong !== null}
            onClick={save}
          >
            {t('report.download')}
          </Button>
        }
      >
        <Filters
          period={period}
          search={search}
          problem={wrong}
          onChange={change}
        />
        <Parts />
        {report.isPending && wrong === null && <Loading rows={4} height={80} />}
        {report.isError && (
          <Failure
            message={refusal(report.error, t)}
            requestId={requestIdOf(report.error)}
            onRetry={() => void report.refetch()}
          />
        )}
        {report.data && wrong === null && (
          <CaseFilters value={query}>
            <Results report={report.data} busy={report.isPlaceholderData} />
          </CaseFilters>
        )}
      </Page>
    </div>
  )
}
