import { Badge, Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { answer, api } from '../api/client'
import { keys } from '../api/keys'
import { problemText } from '../api/problem'
import { dateAndTime } from '../ui/format'
import { Section } from '../ui/Section'
import { Failure, Loading } from '../ui/states'
import { toast } from '../ui/toast'
import { device } from './device'
import classes from '../ui/page.module.css'

/** Sessions lists where the person is signed in, and ends sessions. */
export function Sessions() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const sessions = useQuery({ queryKey: keys.sessions, staleTime: 0, queryFn: async () => (await answer(api.GET('/sessions'))).data })
  const end = async (task: Promise<unknown>) => {
    try {
      await task
    } catch (error) {
      toast(problemText(error, t), 'red')
    }
    await client.invalidateQueries({ queryKey: keys.sessions })
  }
  const others = (sessions.data?.length ?? 0) > 1
  return (
    <Section
      title={t('sessions.title')} text={t('sessions.text')}
      action={others && <Button variant="default" onClick={() => void end(answer(api.DELETE('/sessions')))}>{t('sessions.endOthers')}</Button>}
    >
      {sessions.isPending && <Loading rows={2} />}
      {sessions.isError && <Failure message={problemText(sessions.error, t)} onRetry={() => void sessions.refetch()} />}
      {sessions.data && (
        <ul className={classes.rows} aria-label={t('sessions.title')}>
          {sessions.data.map((session) => {
            const name = device(session.user_agent) ?? t('sessions.unknown')
            return (
              <li key={session.id}>
                <div>
                  <strong>{name}</strong>
                  <p>{t('sessions.seen', { ip: session.ip, time: dateAndTime(session.last_seen_at) })}</p>
                </div>
                {session.current ? (
                  <Badge variant="light" color="green" tt="none">{t('sessions.current')}</Badge>
                ) : (
                  <Button variant="subtle" color="red" size="xs" aria-label={t('sessions.end', { name })} onClick={() => void end(answer(api.DELETE('/sessions/{id}', { params: { path: { id: session.id } } })))}>{t('shell.signOut')}</Button>
                )}
              </li>
            )
          })}
        </ul>
      )}
    </Section>
  )
}
