import { Table } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { useNames } from '../api/queries'
import type { Attendance } from '../api/types'
import { personName } from '../contact/erased'
import { closeReason } from '../contact/history'
import { atTime } from '../contact/place'
import { dayAndTime } from '../ui/format'
import { usePhone } from '../ui/usePhone'
import { worst } from './cases'
import { ConversationLink } from './ConversationLink'
import { time } from './figures'
import { Stars } from '../ui/Stars'
import classes from './Cases.module.css'

/** CaseTable lists cases; each opens its conversation. On a phone it is a list. */
export function CaseTable({ cases }: { cases: Attendance[] }) {
  const phone = usePhone()
  return phone ? <AsList cases={cases} /> : <AsTable cases={cases} />
}

const columns = [
  'protocol',
  'contact',
  'sector',
  'person',
  'opened',
  'firstResponse',
  'closed',
  'reason',
  'rating',
  'level',
] as const

/** useTexts returns what a list shows of a case. */
function useTexts() {
  const { t } = useTranslation()
  const names = useNames()
  return (one: Attendance) => {
    const level = worst(one.sla)
    return {
      sector: names.sector(one.sector) ?? '–',
      person: one.responsible?.name ?? t('report.nobody'),
      opened: dayAndTime(one.opened_at),
      firstResponse: time(one.first_response_seconds),
      closed: one.closed_at ? dayAndTime(one.closed_at) : t('caseList.open'),
      reason:
        one.closing?.reason?.name ||
        closeReason(one, t) ||
        (one.closing?.by === 'automatic' ? t('caseList.automatic') : '–'),
      rating: one.survey?.rating ?? null,
      level,
      levelText: level ? t(`caseList.sla.${level}`) : '–',
    }
  }
}

function AsTable({ cases }: { cases: Attendance[] }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const texts = useTexts()
  const open = (one: Attendance) =>
    void navigate({
      to: '/inbox/$view/$conversation',
      params: {
        view: one.status === 'open' ? 'open' : 'closed',
        conversation: one.conversation,
      },
      search: { message: atTime(one.opened_at) },
    })
  return (
    <div
      className={classes.scroll}
      tabIndex={0}
      role="region"
      aria-label={t('caseList.list')}
    >
      <Table
        aria-label={t('caseList.list')}
        verticalSpacing={7}
        horizontalSpacing={8}
        highlightOnHover
      >
        <Table.Thead>
          <Table.Tr>
            {columns.map((one) => (
              <Table.Th key={one}>{t(`caseList.column.${one}`)}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {cases.map((one) => {
            const text = texts(one)
            return (
              <Table.Tr
                key={one.id}
                className={classes.row}
                onClick={() => open(one)}
              >
                <Table.Th scope="row" className={classes.protocol}>
                  <ConversationLink attendance={one}>
                    {one.protocol}
                  </ConversationLink>
                </Table.Th>
                <Table.Td className={classes.wide}>
                  {personName(one.contact, t)}
                </Table.Td>
                <Table.Td>{text.sector}</Table.Td>
                <Table.Td>{text.person}</Table.Td>
                <Table.Td className={classes.time}>{text.opened}</Table.Td>
                <Table.Td className={classes.time}>
                  {text.firstResponse}
                </Table.Td>
                <Table.Td className={classes.time}>{text.closed}</Table.Td>
                <Table.Td className={classes.wide}>{text.reason}</Table.Td>
                <Table.Td title={one.survey?.comment ?? undefined}>
                  {text.rating ? <Stars rating={text.rating} /> : '–'}
                  {one.survey?.comment && (
                    <span className={classes.comment}>
                      {one.survey.comment}
                    </span>
                  )}
                </Table.Td>
                <Table.Td className={classes.time} data-level={text.level}>
                  {text.levelText}
                </Table.Td>
              </Table.Tr>
            )
          })}
        </Table.Tbody>
      </Table>
    </div>
  )
}

function AsList({ cases }: { cases: Attendance[] }) {
  const { t } = useTranslation()
  const texts = useTexts()
  return (
    <ul className={classes.list} aria-label={t('caseList.list')}>
      {cases.map((one) => {
        const text = texts(one)
        return (
          <li key={one.id}>
            <ConversationLink attendance={one} className={classes.item}>
              <span className={classes.line}>
                <strong>{personName(one.contact, t)}</strong>
                <span>{one.protocol}</span>
              </span>
              <span className={classes.facts}>
                {[text.sector, text.person, text.opened]
                  .filter((fact) => fact !== '–')
                  .join(' · ')}
              </span>
              <span className={classes.facts}>
                {[
                  one.first_response_seconds !== null &&
                    `${t('caseList.column.firstResponse')}: ${text.firstResponse}`,
                  one.closed_at
                    ? `${t('caseList.column.closed')}: ${text.closed}`
                    : text.closed,
                  text.reason !== '–' && text.reason,
                ]
                  .filter(Boolean)
                  .join(' · ')}
              </span>
              {(text.rating || text.level) && (
                <span className={classes.line}>
                  {text.rating ? <Stars rating={text.rating} /> : <span />}
                  {text.level && (
                    <span data-level={text.level}>{text.levelText}</span>
                  )}
                </span>
              )}
            </ConversationLink>
          </li>
        )
      })}
    </ul>
  )
}
