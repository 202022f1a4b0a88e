import { Button } from '@mantine/core'
import { IconRobot, IconRobotOff } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useMe } from '../../api/queries'
import type { Conversation } from '../../api/types'
import type { MenuAction } from '../../ui/MenuBox'
import { clock, dateAndTime, dayKey } from '../../ui/format'
import { useActions } from '../actions'
import { useNow } from '../../ui/useNow'
import classes from '../../contact/Details.module.css'

const hour = 3_600_000

/** usePausedUntil returns until when bots are paused in a conversation, or null. */
function usePausedUntil({
  bot_paused_until: until,
}: Conversation): string | null {
  const now = useNow()
  return until && Date.parse(until) > now ? until : null
}

/** useBotActions returns the menu items for pausing and resuming bots. */
export function useBotActions(conversation: Conversation): MenuAction[] {
  const { t } = useTranslation()
  const actions = useActions()
  const paused = usePausedUntil(conversation)
  if (!useMe().scopes.includes('conversations:write')) return []
  if (paused)
    return [
      {
        key: 'bots',
        label: t('bots.resume'),
        icon: <IconRobot size={16} />,
        onClick: () => void actions.bots(conversation, null),
      },
    ]
  return [1, 24].map((count) => ({
    key: `bots ${count}`,
    label: t('bots.pause', { count }),
    icon: <IconRobotOff size={16} />,
    onClick: () =>
      void actions.bots(conversation, new Date(Date.now() + count * hour)),
  }))
}

/** BotState shows until when bots are paused and lets permitted users resume them. */
export function BotState({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation()
  const actions = useActions()
  const paused = usePausedUntil(conversation)
  const may = useMe().scopes.includes('conversations:write')
  if (!paused) return null
  return (
    <div className={classes.bots}>
      <span>
        {t('bots.paused', {
          time:
            dayKey(paused) === dayKey(new Date())
              ? clock(paused)
              : dateAndTime(paused),
        })}
      </span>
      {may && (
        <Button
          variant="default"
          size="compact-sm"
          onClick={() => void actions.bots(conversation, null)}
        >
          {t('bots.resume')}
        </Button>
      )}
    </div>
  )
}
