import { IconX } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useNames } from '../api/queries'
import { none, type CaseSearch } from './cases'
import { dayName } from './figures'
import classes from './Cases.module.css'

/** CaseChips shows the filters of a list of cases; each can be removed. reason is the name of the closing reason. */
export function CaseChips({
  search,
  reason,
  onChange,
}: {
  search: CaseSearch
  reason: string | undefined
  onChange: (search: CaseSearch) => void
}) {
  const { t } = useTranslation()
  const names = useNames()
  const { from, to } = search
  const without = (...filters: (keyof CaseSearch)[]): CaseSearch =>
    Object.fromEntries(
      Object.entries(search).filter(
        ([name]) => !filters.includes(name as keyof CaseSearch),
      ),
    )
  const chip = (
    filter: Exclude<keyof CaseSearch, 'on' | 'from' | 'to'>,
    head: string,
    value: string | undefined,
  ) =>
    search[filter] === undefined
      ? []
      : [
          {
            key: filter,
            text: `${head}: ${value ?? '…'}`,
            rest: without(filter),
          },
        ]
  const one = (id: string | undefined, name: string | undefined, no: string) =>
    id === none ? no : name
  const chips = [
    ...(from || to
      ? [
          {
            key: 'period',
            text:
              from === to
                ? dayName(from ?? '', 'long')
                : [from, to]
                    .map((day) => (day ? dayName(day, 'long') : '…'))
                    .join(' – '),
            rest: without('on', 'from', 'to'),
          },
        ]
      : []),
    ...chip(
      'user',
      t('report.person'),
      one(search.user, names.person(search.user ?? null), t('report.nobody')),
    ),
    ...chip(
      'sector',
      t('report.sector'),
      one(
        search.sector,
        names.sector(search.sector ?? null),
        t('report.noSector'),
      ),
    ),
    ...chip(
      'channel',
      t('report.channel'),
      names.channel(search.channel ?? null)?.name,
    ),
    ...chip('label', t('report.label'), names.label(search.label ?? '')?.name),
    ...chip(
      'reason',
      t('report.reason'),
      one(search.reason, reason, t('report.noReason')),
    ),
    ...chip(
      'rating',
      t('report.rating'),
      search.rating && t(`caseList.rating.${search.rating}`),
    ),
    ...chip(
      'survey',
      t('caseList.survey.title'),
      search.survey && t(`caseList.survey.${search.survey}`),
    ),
    ...chip(
      'sla',
      t('report.levels'),
      search.sla && t(`caseList.sla.${search.sla}`),
    ),
  ]
  if (chips.length === 0) return null
  return (
    <ul className={classes.chips} aria-label={t('caseList.filters')}>
      {chips.map(({ key, text, rest }) => (
        <li key={key} className={classes.chip}>
          <span>{text}</span>
          <button
            type="button"
            aria-label={t('caseList.remove', { filter: text })}
            title={t('caseList.remove', { filter: text })}
            onClick={() => onChange(rest)}
          >
            <IconX size={14} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  )
}
