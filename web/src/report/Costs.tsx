import { Button } from '@mantine/core'
import { IconCoins, IconDownload, IconLock } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { useBudget } from '../api/budget'
import { api, unwrap } from '../api/client'
import { saveCsv } from '../api/csv'
import { keys } from '../api/keys'
import { refusal, requestIdOf } from '../api/refusal'
import { useMe } from '../api/queries'
import type { CostReport } from '../api/types'
import { BudgetBar } from '../ui/BudgetBar'
import { dayKey, number } from '../ui/format'
import { Page } from '../ui/Layout'
import { money, price } from '../ui/money'
import { Empty, Failure, Loading } from '../ui/states'
import {
  average,
  breakdowns,
  costRows,
  type Breakdown,
  type CostSearch,
} from './costs'
import { CostTable } from './CostTable'
import { dayName, share } from './figures'
import { days, presets, problemOf } from './period'
import { PeriodFields } from './PeriodFields'
import { ReportTabs } from './ReportTabs'
import { Total } from './Total'
import classes from './Report.module.css'

const CostPerDay = lazy(() =>
  import('./Charts').then((loaded) => ({ default: loaded.CostPerDay })),
)

/** Costs is the report of what messages cost. */
export default function Costs() {
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

/** useSettingsLink returns a link to the prices for those who can open them. */
function useSettingsLink(text: string) {
  const may = useMe().scopes.includes('company:manage')
  return (
    may && (
      <Link
        to="/settings/$"
        params={{ _splat: 'costs' }}
        className={`${classes.settings} ${classes.control}`}
      >
        {text}
      </Link>
    )
  )
}

function Shown() {
  const { t } = useTranslation()
  const { company } = useMe()
  const navigate = useNavigate()
  const search = useSearch({ from: '/report/costs' })
  // Meta's bills and the budget are for calendar months.
  const month = presets(dayKey(new Date())).at(-1)?.period
  const period = {
    from: search.from ?? month?.from ?? '',
    to: search.to ?? month?.to ?? '',
  }
  const by = search.by ?? 'day'
  const query = { ...period, by }
  const wrong = problemOf(period)
  const report = useQuery({
    queryKey: keys.costReport(query),
    staleTime: 0,
    enabled: wrong === null,
    placeholderData: keepPreviousData,
    queryFn: async () => ({
      by,
      report: await unwrap(api.GET('/reports/cost', { params: { query } })),
    }),
  })
  const change = (next: CostSearch) =>
    void navigate({
      to: '/report/costs',
      search: { ...search, ...next },
      replace: true,
    })
  const save = () =>
    void saveCsv(
      '/reports/cost',
      query,
      `costs-${by}-${period.from}-${period.to}.csv`,
    )
  const none = report.data?.report.messages === 0
  return (
    <div className={classes.scroll}>
      <ReportTabs period={days(search)} />
      <Page
        wide
        title={t('costs.title')}
        text={`${dayName(period.from, 'long')} – ${dayName(period.to, 'long')} · ${company.timezone}`}
        action={
          <Button
            className={classes.control}
            variant="default"
            leftSection={<IconDownload size={16} />}
            disabled={!report.data || none || wrong !== null}
            onClick={save}
          >
            {t('report.download')}
          </Button>
        }
      >
        <div className={`${classes.filters} ${classes.control}`}>
          <PeriodFields
            period={period}
            problem={wrong}
            onChange={(next) => change({ ...period, ...next })}
          />
        </div>
        {report.isPending && wrong === null && <Loading rows={4} height={80} />}
        {report.isError && (
          <Failure
            message={refusal(report.error, t)}
            requestId={requestIdOf(report.error)}
            onRetry={() => void report.refetch()}
          />
        )}
        {report.data &&
          wrong === null &&
          (none ? (
            <NoCosts />
          ) : (
            <div
              className={classes.results}
              aria-busy={report.isPlaceholderData}
            >
              <CostTotals report={report.data.report} />
              <div
                role="group"
                aria-label={t('costs.breakdown')}
                className={`${classes.breakdown} ${classes.costPart} ${classes.control}`}
              >
                <span aria-hidden>{t('costs.breakdown')}</span>
                {breakdowns.map((one) => (
                  <Button
                    key={one}
                    size="xs"
                    variant={one === by ? 'light' : 'default'}
                    aria-pressed={one === by}
                    onClick={() => change({ by: one })}
                  >
                    {t(`costs.by.${one}`)}
                  </Button>
                ))}
              </div>
              <CostFigures {...report.data} />
            </div>
          ))}
      </Page>
    </div>
  )
}

/** NoCosts says where the costs come from. */
function NoCosts() {
  const { t } = useTranslation()
  const link = useSettingsLink(t('costs.settings'))
  return (
    <Empty
      icon={<IconCoins size={28} />}
      title={t('costs.none')}
      text={t('costs.noneText')}
    >
      {link}
    </Empty>
  )
}

/** CostTotals shows the costs of the whole period, and how much of this month's budget is used. */
function CostTotals({ report }: { report: CostReport }) {
  const { t } = useTranslation()
  const { currency, total, messages, billable } = report
  const budget = useBudget()
  const perMessage = average({ total, billable })
  const enter = useSettingsLink(t('costs.enterPrices'))
  return (
    <>
      {!currency && (
        <p className={classes.notice} role="status">
          {t('costs.noPrices')} {enter || t('costs.askPrices')}
        </p>
      )}
      <div className={classes.totals}>
        <Total
          name={t('costs.column.total')}
          value={currency && total !== null ? money(total, currency) : '–'}
        />
        <Total name={t('costs.column.messages')} value={number(messages)}>
          {t('costs.counted')}
        </Total>
        <Total name={t('costs.column.billable')} value={number(billable)}>
          {t('costs.billableShare', { share: share(billable, messages) })}
        </Total>
        <Total
          name={t('costs.column.average')}
          value={
            currency && perMessage !== null ? price(perMessage, currency) : '–'
          }
        />
      </div>
      {budget?.currency && budget.monthly_amount !== null && (
        <div className={`${classes.list} ${classes.costPart}`}>
          <BudgetBar
            currency={budget.currency}
            spent={budget.spent}
            amount={budget.monthly_amount}
            warnAt={budget.warn_percent}
            reached={budget.reached}
          />
        </div>
      )}
    </>
  )
}

/** CostFigures shows the costs by day, number, department and so on. */
function CostFigures({ report, by }: { report: CostReport; by: Breakdown }) {
  const { t } = useTranslation()
  const rows = costRows(report, by, t)
  return (
    <CostTable
      key={by}
      title={t(`costs.per.${by}`)}
      head={t(`costs.by.${by}`)}
      rows={by === 'day' ? rows.filter((row) => row.messages > 0) : rows}
      currency={report.currency}
      inOrder={by === 'day'}
    >
      {by === 'day' && (
        <div className={`${classes.chart} ${classes.costChart}`} aria-hidden>
          <Suspense fallback={<Loading rows={1} height={188} />}>
            <CostPerDay days={rows} currency={report.currency} />
          </Suspense>
        </div>
      )}
    </CostTable>
  )
}
