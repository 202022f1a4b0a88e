import { ActionIcon, Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import {
  IconArchive,
  IconArrowForwardUp,
  IconArrowLeft,
  IconBell,
  IconBellOff,
  IconCalendar,
  IconCheck,
  IconClockPause,
  IconDots,
  IconFileImport,
  IconLayoutKanban,
  IconLayoutSidebarRight,
  IconLock,
  IconMail,
  IconPin,
  IconPinnedOff,
  IconUserCheck,
} from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { keys } from '../api/keys'
import { useChannels, useMe, useRowNames } from '../api/queries'
import type { Conversation, Ref } from '../api/types'
import type { Typing } from '../live/apply'
import { announce } from '../ui/announce'
import { personName } from '../contact/erased'
import { ActionMenu } from '../ui/ActionMenu'
import { useCached } from '../ui/useCached'
import { usePhone } from '../ui/usePhone'
import { useActions } from './actions'
import { useBotActions } from './details/Bots'
import { ConversationAvatar } from './ConversationAvatar'
import { DueTag } from './DueTag'
import { useNow } from '../ui/useNow'
import classes from './ConversationPane.module.css'

export type PaneDialog =
  'transfer' | 'close' | 'snooze' | 'date' | 'card' | null

type Props = {
  conversation: Conversation
  onDialog: (dialog: PaneDialog) => void
  onBack: () => void
  onDetails: () => void
}

/** ConversationHeader shows the customer, the case and the actions of a conversation. */
export function ConversationHeader({
  conversation,
  onDialog,
  onBack,
  onDetails,
}: Props) {
  const { t } = useTranslation()
  const session = useMe()
  const me = session.user.id
  const navigate = useNavigate()
  const names = useRowNames()
  const actions = useActions()
  const botActions = useBotActions(conversation)
  const clipboard = useClipboard({ timeout: 1500 })
  const { attendance } = conversation
  const name = personName(conversation, t)
  const phone = usePhone()
  const Title = phone ? 'h1' : 'h2' // on a phone the conversation is the whole page
  const where = [
    attendance ? undefined : t('conversation.noCase'),
    names.sector(conversation.sector),
    conversation.assignee === me
      ? t('conversation.you')
      : names.person(conversation.assignee),
  ]
    .filter(Boolean)
    .join(' · ')
  const channels = useChannels().data ?? []
  const channel = channels.find((one) => one.id === conversation.channel)
  const takeText = conversation.assignee
    ? t('conversation.takeOver')
    : t('conversation.take')
  const copy = (protocol: string) => {
    clipboard.copy(protocol)
    announce(t('conversation.copied'))
  }
  return (
    <header className={classes.header}>
      <ActionIcon
        className={classes.back}
        variant="subtle"
        color="gray"
        size={44}
        aria-label={t('common.back')}
        onClick={onBack}
      >
        <IconArrowLeft size={20} />
      </ActionIcon>
      <ConversationAvatar conversation={conversation} name={name} />
      <div className={classes.who}>
        <div className={classes.top}>
          <Title>{name}</Title>
          {!phone && <DueTag conversation={conversation} />}
        </div>
        <p>
          {phone && <DueTag conversation={conversation} />}
          {attendance && (
            <button
              type="button"
              className={classes.protocol}
              aria-label={t('conversation.copyProtocol', {
                protocol: attendance.protocol,
              })}
              onClick={() => copy(attendance.protocol)}
            >
              {clipboard.copied
                ? t('conversation.copied')
                : attendance.protocol}
            </button>
          )}
          {where && (
            <span>
              {attendance ? ' · ' : ''}
              {where}
            </span>
          )}
          {channel && (channels.length > 1 || channel.private) && (
            <span
              className={classes.number}
              title={channel.private ? t('conversation.private') : undefined}
            >
              {' · '}
              {channel.private && (
                <IconLock size={13} aria-label={t('conversation.private')} />
              )}
              {channel.name}
            </span>
          )}
        </p>
      </div>
      {conversation.erased ? null : (
        <div className={classes.buttons}>
          {!phone && (
            <Button
              variant="default"
              className={classes.button}
              aria-label={t('conversation.transfer')}
              title={t('conversation.transfer')}
              onClick={() => onDialog('transfer')}
            >
              <IconArrowForwardUp size={18} />{' '}
              <span className={classes.word}>{t('conversation.transfer')}</span>
            </Button>
          )}
          {attendance && (
            <Button
              variant="default"
              className={classes.button}
              aria-label={t('conversation.close')}
              title={t('conversation.close')}
              onClick={() => onDialog('close')}
            >
              <IconCheck size={18} />{' '}
              <span className={classes.word}>
                {t('conversation.closeShort')}
              </span>
            </Button>
          )}
          {attendance && conversation.assignee !== me && (
            <Button
              className={`${classes.button} ${classes.main}`}
              aria-label={takeText}
              title={takeText}
              onClick={() => void actions.take(conversation)}
            >
              <IconUserCheck size={18} />{' '}
              <span className={classes.word}>{takeText}</span>
            </Button>
          )}
        </div>
      )}
      {conversation.erased ? null : (
        <ActionMenu
          button={
            <ActionIcon
              className={classes.icon}
              variant="subtle"
              color="gray"
              size={36}
              aria-label={t('conversation.more')}
              title={t('conversation.more')}
            >
              <IconDots size={20} />
            </ActionIcon>
          }
          actions={[
            // On a phone the name needs the room of the button.
            ...(phone
              ? [
                  {
                    key: 'transfer',
                    label: t('conversation.transfer'),
                    icon: <IconArrowForwardUp size={16} />,
                    onClick: () => onDialog('transfer'),
                  },
                ]
              : []),
            conversation.snoozed_until
              ? {
                  key: 'wake',
                  label: t('conversation.wake'),
                  icon: <IconClockPause size={16} />,
                  onClick: () => void actions.snooze(conversation, null),
                }
              : {
                  key: 'snooze',
                  label: t('conversation.snooze'),
                  icon: <IconClockPause size={16} />,
                  onClick: () => onDialog('snooze'),
                },
            {
              key: 'pin',
              label: conversation.pinned
                ? t('conversation.unpin')
                : t('conversation.pin'),
              icon: conversation.pinned ? (
                <IconPinnedOff size={16} />
              ) : (
                <IconPin size={16} />
              ),
              onClick: () =>
                void actions.patch(conversation, {
                  pinned: !conversation.pinned,
                }),
            },
            {
              key: 'mute',
              label: conversation.muted
                ? t('conversation.unmute')
                : t('conversation.mute'),
              icon: conversation.muted ? (
                <IconBell size={16} />
              ) : (
                <IconBellOff size={16} />
              ),
              onClick: () =>
                void actions.patch(conversation, {
                  muted: !conversation.muted,
                }),
            },
            {
              key: 'archive',
              label: conversation.archived
                ? t('conversation.unarchive')
                : t('conversation.archive'),
              icon: <IconArchive size={16} />,
              onClick: () =>
                void actions.patch(conversation, {
                  archived: !conversation.archived,
                }),
            },
            {
              key: 'unread',
              label: t('conversation.unread'),
              icon: <IconMail size={16} />,
              onClick: () => void actions.unread(conversation),
            },
            {
              key: 'card',
              label: t('card.create'),
              icon: <IconLayoutKanban size={16} />,
              onClick: () => onDialog('card'),
            },
            {
              key: 'date',
              label: t('conversation.goToDate'),
              icon: <IconCalendar size={16} />,
              onClick: () => onDialog('date'),
            },
            ...botActions,
            ...(session.scopes.includes('data:manage') &&
            conversation.kind === 'direct'
              ? [
                  {
                    key: 'import',
                    label: t('conversation.importChat'),
                    icon: <IconFileImport size={16} />,
                    onClick: () =>
                      void navigate({
                        to: '/contacts/import-chat',
                        search: { conversation: conversation.id },
                      }),
                  },
                ]
              : []),
          ]}
        />
      )}
      <ActionIcon
        className={classes.details}
        variant="subtle"
        color="gray"
        size={36}
        aria-label={t('details.show')}
        title={t('details.show')}
        onClick={onDetails}
      >
        <IconLayoutSidebarRight size={20} />
      </ActionIcon>
    </header>
  )
}

/** AlsoHere shows which colleagues are viewing or replying. */
export function AlsoHere({ conversation }: { conversation: string }) {
  const { t } = useTranslation()
  const now = useNow()
  const me = useMe().user.id
  const viewing = useCached<Ref[]>(keys.viewing(conversation)) ?? []
  const typing = useCached<Typing | null>(keys.typing(conversation))
  const answering =
    typing && typing.user.id !== me && now - typing.at < 20_000
      ? typing.user
      : null
  const others = viewing.filter(
    (one) => one.id !== me && one.id !== answering?.id,
  )
  if (!answering && others.length === 0) return null
  return (
    <div
      role="group"
      aria-label={t('conversation.alsoHere')}
      className={classes.also}
    >
      {answering && (
        <span data-answering>
          {t('conversation.isAnswering', { name: answering.name })}
        </span>
      )}
      {others.map((one) => (
        <span key={one.id}>
          {t('conversation.isViewing', { name: one.name })}
        </span>
      ))}
    </div>
  )
}
