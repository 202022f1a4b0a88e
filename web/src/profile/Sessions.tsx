import { Badge, Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { Loaded } from '../api/Loaded'
import { useAttempt } from '../api/useAttempt'
import { dateAndTime } from '../ui/format'
import { Section } from '../ui/Layout'
import { device } from '../ui/device'
import classes from '../ui/rows.module.css'

/** Sessions lists the user's sessions and ends them. */
export function Sessions() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const attempt = useAttempt()
  const sessions = useQuery({
    queryKey: keys.sessions,
    staleTime: 0,
    queryFn: async () => (await unwrap(api.GET('/sessions'))).data,
  })
  const end = async (task: () => Promise<unknown>) => {
    await attempt(task)
    await client.invalidateQueries({ queryKey: keys.sessions })
  }
  const others = (sessions.data?.length ?? 0) > 1
  return (
    <Section
      title={t('sessions.title')}
      text={t('sessions.text')}
      action={
        others && (
          <Button
            variant="default"
            onClick={() => void end(() => unwrap(api.DELETE('/sessions')))}
          >
            {t('sessions.endOthers')}
          </Button>
        )
      }
    >
      <Loaded query={sessions} rows={2}>
        {(data) => (
          <ul className={classes.rows} aria-label={t('sessions.title')}>
            {data.map((session) => {
              const name = device(session.user_agent) ?? t('sessions.unknown')
              return (
                <li key={session.id} className={classes.row} data-wrap>
                  <div className={classes.main}>
                    <strong>{name}</strong>
                    <span>
                      {t('sessions.seen', {
                        ip: session.ip,
                        time: dateAndTime(session.last_seen_at),
                      })}
                    </span>
                  </div>
                  {session.current ? (
                    <Badge variant="light" color="green" tt="none">
                      {t('sessions.current')}
                    </Badge>
                  ) : (
                    <Button
                      variant="subtle"
                      color="red"
                      size="xs"
                      aria-label={t('sessions.end', { name })}
                      onClick={() =>
                        void end(() =>
                          unwrap(
                            api.DELETE('/sessions/{id}', {
                              params: { path: { id: session.id } },
                            }),
                          ),
                        )
                      }
                    >
                      {t('shell.signOut')}
                    </Button>
                  )}
                </li>
              )
            })}
          </ul>
        )}
      </Loaded>
    </Section>
  )
}
