import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import type { Attendance, Conversation } from '../../api/types'
import { Fact, Section } from '../../contact/Section'
import { dateAndTime } from '../../ui/format'
import { useNow } from '../../ui/useNow'
import { dueShort, dueTone, targets } from '../due'
import { useAttendances } from './DetailsSections'
import classes from '../../contact/Details.module.css'

type Target = NonNullable<NonNullable<Attendance['sla']>['first']>

/** stateText says whether a target was met, or how much time is left. */
function stateText(target: Target, now: number, t: TFunction): string {
  const { due_at, met_at, state } = target
  if (met_at)
    return t(state === 'breached' ? 'sla.metLate' : 'sla.met', {
      time: dateAndTime(met_at),
    })
  if (state === 'met') return t('sla.inTime')
  const late = dueTone({ due_at, state }, now) === 'red'
  return t(late ? 'sla.lateBy' : 'sla.leftUntil', {
    time: dueShort({ due_at, state }, now).replace('−', ''),
    due: dateAndTime(due_at),
  })
}

/** ServiceLevel shows the targets of the open case, or of the last one. */
export function ServiceLevel({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation()
  const now = useNow()
  const attendances = useAttendances(conversation.id)
  const { sla } =
    attendances.find((one) => one.status === 'open') ?? attendances[0] ?? {}
  if (!sla) return null
  return (
    <Section title={t('sla.title')}>
      <dl className={classes.facts}>
        <Fact label={t('sla.policy')}>{sla.policy.name}</Fact>
        {targets.map((name) => {
          const target = sla[name]
          if (!target) return null
          const { due_at, state, met_at } = target
          return (
            <Fact key={name} label={t(`sla.${name}`)}>
              <span
                className={classes.state}
                data-tone={
                  state === 'met'
                    ? 'plain'
                    : met_at
                      ? 'red'
                      : dueTone({ due_at, state }, now)
                }
              >
                {stateText(target, now, t)}
              </span>
            </Fact>
          )
        })}
      </dl>
    </Section>
  )
}
