import '@mantine/core/styles/ColorSwatch.layer.css'
import '@mantine/charts/styles.layer.css'
import { BarChart, LineChart } from '@mantine/charts'
import { useTranslation } from 'react-i18next'
import type { Report } from '../api/types'
import { number } from '../ui/format'
import { money } from '../ui/money'
import { amountTicks, type CostRow } from './costs'
import { dayName, roundTicks, span } from './figures'

type Props = { days: Report['by_day'] }

const size = 220
const legend = {
  verticalAlign: 'bottom',
  height: 32,
  itemSorter: null,
} as const

/** No animation and no tab stop: the chart is hidden from screen readers, which read the table instead. */
const chart = {
  accessibilityLayer: false,
  margin: { top: 8, right: 8, bottom: 0, left: 0 },
}

/** OpenedAndClosed charts the number of cases opened and closed per day. */
export function OpenedAndClosed({ days }: Props) {
  const { t } = useTranslation()
  return (
    <BarChart
      h={size}
      data={days.map(({ date, opened, closed }) => ({
        date: dayName(date, 'short'),
        opened,
        closed,
      }))}
      dataKey="date"
      withLegend
      legendProps={legend}
      tickLine="none"
      gridAxis="x"
      gridColor="var(--line)"
      textColor="var(--soft)"
      series={[
        { name: 'opened', label: t('report.opened'), color: 'var(--chart-1)' },
        { name: 'closed', label: t('report.closed'), color: 'var(--chart-2)' },
      ]}
      barProps={{ isAnimationActive: false, radius: 2, maxBarSize: 18 }}
      barChartProps={{ ...chart, barGap: 1 }}
      yAxisProps={{ width: 36, allowDecimals: false }}
      xAxisProps={{ minTickGap: 16 }}
      tooltipAnimationDuration={0}
    />
  )
}

/** FirstResponse charts the time to first response per day; days without one have no point. */
export function FirstResponse({ days }: Props) {
  const { t } = useTranslation()
  const ticks = roundTicks(
    Math.max(
      0,
      ...days.flatMap(
        ({ first_response: { average_seconds, median_seconds } }) => [
          average_seconds ?? 0,
          median_seconds ?? 0,
        ],
      ),
    ),
  )
  return (
    <LineChart
      h={size}
      data={days.map(
        ({
          date,
          first_response: { average_seconds: average, median_seconds: median },
        }) => ({ date: dayName(date, 'short'), average, median }),
      )}
      dataKey="date"
      withLegend
      legendProps={legend}
      tickLine="none"
      gridAxis="x"
      gridColor="var(--line)"
      textColor="var(--soft)"
      series={[
        {
          name: 'average',
          label: t('report.average'),
          color: 'var(--chart-1)',
        },
        { name: 'median', label: t('report.median'), color: 'var(--chart-2)' },
      ]}
      curveType="linear"
      connectNulls={false}
      strokeWidth={2}
      dotProps={{ r: 2.5, strokeWidth: 0 }}
      lineProps={{ isAnimationActive: false }}
      lineChartProps={chart}
      valueFormatter={span}
      yAxisProps={{ width: 72, ticks, domain: [0, ticks.at(-1) ?? 0] }}
      xAxisProps={{ minTickGap: 16 }}
      tooltipAnimationDuration={0}
    />
  )
}

/** CostPerDay charts the cost per day, or the number of messages as long as there are no prices. */
export function CostPerDay({
  days,
  currency,
}: {
  days: CostRow[]
  currency: string | null
}) {
  const { t } = useTranslation()
  const ticks = amountTicks(
    Math.max(0, ...days.map(({ total, messages }) => total ?? messages)),
  )
  const label = t(currency ? 'costs.column.total' : 'costs.column.messages')
  return (
    <BarChart
      h={size}
      data={days.map(({ key, total, messages }) => ({
        date: dayName(key, 'short'),
        value: total ?? messages,
      }))}
      dataKey="date"
      tickLine="none"
      gridAxis="x"
      gridColor="var(--line)"
      textColor="var(--soft)"
      series={[{ name: 'value', label, color: 'var(--chart-1)' }]}
      valueFormatter={(value) =>
        currency ? money(value, currency) : number(value)
      }
      barProps={{ isAnimationActive: false, radius: 2, maxBarSize: 24 }}
      barChartProps={chart}
      yAxisProps={{ width: 76, ticks, domain: [0, ticks.at(-1) ?? 0] }}
      xAxisProps={{ minTickGap: 16 }}
      tooltipAnimationDuration={0}
    />
  )
}
