import { Button } from '@mantine/core'
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { useChannels, useMe, useSectors, useTeam } from '../api/queries'
import { SectionHead } from '../ui/Layout'
import { personal } from '../ui/page'
import { useInvitations } from './useInvitations'
import classes from './Settings.module.css'

/** Checklist lists the first steps of a new company. It disappears when all are done or when the user hides it in this browser. */
export function Checklist() {
  const me = useMe()
  const key = personal('checklist', me.user.id)
  const [hidden, setHidden] = useState(() => localStorage.getItem(key) !== null)
  if (hidden || !me.scopes.includes('team:manage')) return null
  const hide = () => {
    localStorage.setItem(key, 'hidden')
    setHidden(true)
  }
  return <Steps onHide={hide} />
}

/** useFirstClosed reports whether a case was ever closed. */
const useFirstClosed = () =>
  useQuery({
    queryKey: keys.firstClosed,
    staleTime: 0,
    queryFn: () =>
      unwrap(
        api.GET('/attendances', {
          params: { query: { status: 'closed', limit: 1 } },
        }),
      ).then((page) => page.data.length > 0),
  })

function Steps({ onHide }: { onHide: () => void }) {
  const { t } = useTranslation()
  const me = useMe()
  const channels = useChannels().data
  const team = useTeam().data
  const invitations = useInvitations().data
  const sectors = useSectors().data
  const closed = useFirstClosed().data
  if (!channels || !team || !invitations || !sectors || closed === undefined)
    return null
  const steps = [
    {
      key: 'number',
      done: channels.some((channel) => channel.status === 'connected'),
      page: 'channels',
      may: me.scopes.includes('channels:manage'),
    },
    {
      key: 'team',
      done: team.length > 1 || invitations.length > 0,
      page: 'team',
      may: true,
    },
    { key: 'sectors', done: sectors.length > 0, page: 'sectors', may: true },
    { key: 'closed', done: closed, page: null, may: true },
  ] as const
  if (steps.every((step) => step.done)) return null
  return (
    <section aria-label={t('checklist.title')} className={classes.checklist}>
      <SectionHead
        title={t('checklist.title')}
        action={
          <Button
            variant="subtle"
            color="gray"
            size="compact-sm"
            onClick={onHide}
          >
            {t('checklist.hide')}
          </Button>
        }
      />
      <ol>
        {steps.map(({ key, done, page, may }) => (
          <li key={key} data-done={done}>
            {done ? (
              <IconCircleCheckFilled size={18} aria-hidden />
            ) : (
              <IconCircle size={18} aria-hidden />
            )}
            {done || !may ? (
              <span>{t(`checklist.steps.${key}`)}</span>
            ) : page ? (
              <Link
                to="/settings/$"
                params={{ _splat: page }}
                className={classes.link}
              >
                {t(`checklist.steps.${key}`)}
              </Link>
            ) : (
              <Link to="/" className={classes.link}>
                {t(`checklist.steps.${key}`)}
              </Link>
            )}
            {done && (
              <span className="visually-hidden">{t('checklist.done')}</span>
            )}
          </li>
        ))}
      </ol>
    </section>
  )
}
