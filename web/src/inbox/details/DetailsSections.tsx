import { Link } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { useMe, useRowNames } from '../../api/queries'
import type { Assignment, Attendance, Conversation } from '../../api/types'
import { contentAddress } from '../../api/upload'
import { cardTitle } from '../../contact/erased'
import { automaticText, closeReason } from '../../contact/history'
import { dateAndTime, duration, fileSize } from '../../ui/format'
import { money } from '../../ui/money'
import { Fact, Section } from '../../contact/Section'
import { Stars } from '../../ui/Stars'
import { BotState } from './Bots'
import { CaseFields } from './CaseFields'
import { SectorChoice } from './SectorChoice'
import classes from '../../contact/Details.module.css'

/** useAttendances returns the newest cases of a conversation. */
export function useAttendances(conversation: string) {
  return (
    useQuery({
      queryKey: keys.attendances(conversation),
      queryFn: () =>
        unwrap(
          api.GET('/attendances', {
            params: { query: { conversation, limit: 20 } },
          }),
        ),
    }).data?.data ?? []
  )
}

/** withoutNote leaves out the note of a closed case, which has a line of its own. */
const withoutNote = (attendance: Attendance): Attendance => ({
  ...attendance,
  closing: attendance.closing && { ...attendance.closing, note: null },
})

/** AttendanceDetails shows the open case, or the last one. */
export function AttendanceDetails({
  conversation,
}: {
  conversation: Conversation
}) {
  const { t } = useTranslation()
  const names = useRowNames()
  const may = useMe().scopes.includes('conversations:write')
  const attendances = useAttendances(conversation.id)
  const current =
    attendances.find((one) => one.status === 'open') ?? attendances[0]
  return (
    <Section title={t('details.attendance')}>
      {current ? (
        <dl className={classes.facts}>
          <Fact label={t('details.protocol')}>{current.protocol}</Fact>
          <Fact label={t('details.opened')}>
            {dateAndTime(current.opened_at)}
          </Fact>
          {current.closed_at && (
            <Fact label={t('details.closed')}>
              {dateAndTime(current.closed_at)}
            </Fact>
          )}
          {current.closed_at && (
            <Fact label={t('details.closedBy')}>
              {current.closed_by?.name ?? t('details.automatic')}
            </Fact>
          )}
          {closeReason(withoutNote(current), t) && (
            <Fact label={t('common.reason')}>
              {closeReason(withoutNote(current), t)}
            </Fact>
          )}
          {current.closing?.note && (
            <Fact label={t('details.note')}>{current.closing.note}</Fact>
          )}
          <SurveyFact survey={current.survey} />
          <Fact label={t('details.firstResponse')}>
            {current.first_response_seconds === null
              ? t('details.none')
              : duration(current.first_response_seconds)}
          </Fact>
          <Fact label={t('details.responsible')}>
            {current.responsible?.name ?? t('filters.nobody')}
          </Fact>
          <Fact label={t('filters.sector')}>
            {current.status === 'open' && may ? (
              <SectorChoice conversation={conversation} />
            ) : (
              (names.sector(current.sector) ?? t('details.none'))
            )}
          </Fact>
          {current.cost && (
            <Fact label={t('details.cost')}>
              {money(current.cost.amount, current.cost.currency)}
            </Fact>
          )}
        </dl>
      ) : (
        <p className={classes.nothing}>{t('details.noAttendance')}</p>
      )}
      {current && <CaseFields attendance={current} />}
      <BotState conversation={conversation} />
    </Section>
  )
}

/** SurveyFact shows the customer's rating, or what became of the survey. */
function SurveyFact({ survey }: Pick<Attendance, 'survey'>) {
  const { t } = useTranslation()
  if (!survey || survey.status === 'none') return null
  return (
    <Fact label={t('survey.name')}>
      {survey.rating ? (
        <>
          <Stars rating={survey.rating} />
          {survey.comment && <q className={classes.quote}>{survey.comment}</q>}
        </>
      ) : survey.status === 'answered' ? null : (
        t(`survey.status.${survey.status}`)
      )}
    </Fact>
  )
}

/** Assigned is one entry of the assignment history. */
function Assigned({ entry }: { entry: Assignment }) {
  const { t } = useTranslation()
  const names = useRowNames()
  const sector = names.sector(entry.sector)
  const { action, by, user, reason } = entry
  const automatic = automaticText(entry, sector, t)
  const text =
    action === 'moved' && !entry.sector
      ? t('assignment.movedOut', {
          sector: names.sector(entry.sector_from) ?? '—',
        })
      : action === 'moved'
        ? t('assignment.moved', { sector: sector ?? '—' })
        : action === 'handed_back' && entry.sector
          ? t('assignment.sector', { sector: sector ?? '' })
          : t(`assignment.${action}`, { name: user?.name ?? '' })
  return (
    <li className={classes.item}>
      <strong>{automatic ?? text}</strong>
      <span>
        {[
          by && by.id !== user?.id ? by.name : '',
          dateAndTime(entry.created_at),
          automatic ? '' : reason,
        ]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </li>
  )
}

/** History lists earlier cases and transfers. */
export function History({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation()
  const earlier = useAttendances(conversation.id).filter(
    (one) => one.status === 'closed',
  )
  const assignments =
    useQuery({
      queryKey: keys.assignments(conversation.id),
      queryFn: () =>
        unwrap(
          api.GET('/conversations/{id}/assignments', {
            params: { path: { id: conversation.id } },
          }),
        ),
    }).data?.data ?? []
  return (
    <Section title={t('details.history')}>
      {earlier.length === 0 && assignments.length === 0 && (
        <p className={classes.nothing}>{t('details.noHistory')}</p>
      )}
      <ul className={classes.list}>
        {earlier.map((one) => (
          <li key={one.id} className={classes.item}>
            <strong className={classes.itemHead}>
              {one.protocol}
              {one.survey?.rating && (
                <Stars rating={one.survey.rating} size={13} />
              )}
            </strong>
            <span>
              {[
                one.responsible?.name,
                one.closed_at ? dateAndTime(one.closed_at) : '',
                closeReason(one, t),
              ]
                .filter(Boolean)
                .join(' · ')}
            </span>
          </li>
        ))}
        {assignments.slice(0, 10).map((one) => (
          <Assigned key={one.id} entry={one} />
        ))}
      </ul>
    </Section>
  )
}

/** Cards lists the conversation's cards. */
export function Cards({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation()
  const found = useQuery({
    queryKey: keys.cards(conversation.id),
    queryFn: () =>
      unwrap(
        api.GET('/kanban/cards', {
          params: {
            query: { status: 'all', conversation: conversation.id, limit: 50 },
          },
        }),
      ),
  })
  const cards = found.data?.data ?? []
  return (
    <Section title={t('details.cards')}>
      {cards.length === 0 ? (
        <p className={classes.nothing}>{t('details.noCards')}</p>
      ) : (
        <ul className={classes.list}>
          {cards.map((card) => (
            <li key={card.id} className={classes.item}>
              <Link
                to="/boards/$board"
                params={{ board: card.board_id }}
                search={{ card: card.id }}
              >
                <strong>{cardTitle(card, t)}</strong>
              </Link>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}

/** Files lists the conversation's files, newest first. */
export function Files({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation()
  const files =
    useQuery({
      queryKey: keys.files(conversation.id),
      queryFn: () =>
        unwrap(
          api.GET('/conversations/{id}/media', {
            params: { path: { id: conversation.id }, query: { limit: 20 } },
          }),
        ),
    }).data?.data ?? []
  return (
    <Section title={t('details.files')}>
      {files.length === 0 ? (
        <p className={classes.nothing}>{t('details.noFiles')}</p>
      ) : (
        <ul className={classes.list}>
          {files.map((file) => (
            <li key={file.id} className={classes.item}>
              <a
                href={contentAddress(file.id)}
                target="_blank"
                rel="noopener noreferrer"
              >
                <strong>{file.file_name ?? file.mime_type}</strong>
              </a>
              <span>{fileSize(file.size)}</span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
