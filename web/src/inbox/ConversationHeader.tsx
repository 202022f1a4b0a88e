import { ActionIcon, Button } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconArchive, IconArrowForwardUp, IconArrowLeft, IconBell, IconBellOff, IconCalendar, IconCheck, IconClockPause, IconDots, IconLayoutSidebarRight, IconMail, IconPin, IconPinnedOff } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { keys } from '../api/keys'
import { useMe, useNames } from '../api/queries'
import type { Conversation, Ref } from '../api/types'
import { announce } from '../ui/announce'
import { ActionMenu } from '../ui/ActionMenu'
import { Avatar } from '../ui/Avatar'
import { useCached } from '../ui/useCached'
import { useActions } from './actions'
import type { PaneDialog } from './ConversationPane'
import { useNow } from './useNow'
import classes from './ConversationPane.module.css'

type Props = { conversation: Conversation; onDialog: (dialog: PaneDialog) => void; onBack: () => void; onDetails: () => void }

/** ConversationHeader names the customer and the case, and holds what can be done with it. */
export function ConversationHeader({ conversation, onDialog, onBack, onDetails }: Props) {
  const { t } = useTranslation()
  const me = useMe().user.id
  const names = useNames()
  const actions = useActions()
  const clipboard = useClipboard({ timeout: 1500 })
  const { attendance } = conversation
  const where = [names.sector(conversation.sector), conversation.assignee === me ? t('conversation.you') : names.person(conversation.assignee)].filter(Boolean).join(' · ')
  const copy = (protocol: string) => {
    clipboard.copy(protocol)
    announce(t('conversation.copied'))
  }
  return (
    <header className={classes.header}>
      <ActionIcon className={classes.back} variant="subtle" color="gray" size={44} aria-label={t('common.back')} onClick={onBack}><IconArrowLeft size={20} /></ActionIcon>
      <Avatar id={conversation.contact ?? conversation.id} name={conversation.name} group={conversation.kind === 'group'} />
      <div className={classes.who}>
        <h2>{conversation.name}</h2>
        <p>
          {attendance && (
            <button type="button" className={classes.protocol} aria-label={t('conversation.copyProtocol', { protocol: attendance.protocol })} onClick={() => copy(attendance.protocol)}>
              {clipboard.copied ? t('conversation.copied') : attendance.protocol}
            </button>
          )}
          {where && <span>{attendance ? ' · ' : ''}{where}</span>}
        </p>
      </div>
      <AlsoHere conversation={conversation.id} me={me} />
      <div className={classes.buttons}>
        <Button variant="default" px={11} onClick={() => onDialog('transfer')}>{t('conversation.transfer')}</Button>
        {attendance && <Button variant="default" px={11} aria-label={t('conversation.close')} onClick={() => onDialog('close')}>{t('conversation.closeShort')}</Button>}
        {conversation.assignee !== me && <Button px={11} onClick={() => void actions.take(conversation)}>{t('conversation.take')}</Button>}
      </div>
      <ActionMenu
        button={<ActionIcon variant="subtle" color="gray" size={36} aria-label={t('conversation.more')} title={t('conversation.more')}><IconDots size={20} /></ActionIcon>}
        actions={[
          { key: 'transfer', className: classes.narrow, label: t('conversation.transfer'), icon: <IconArrowForwardUp size={16} />, onClick: () => onDialog('transfer') },
          ...(attendance ? [{ key: 'close', className: classes.narrow, label: t('conversation.close'), icon: <IconCheck size={16} />, onClick: () => onDialog('close') }] : []),
          conversation.snoozed_until
            ? { key: 'wake', label: t('conversation.wake'), icon: <IconClockPause size={16} />, onClick: () => void actions.snooze(conversation, null) }
            : { key: 'snooze', label: t('conversation.snooze'), icon: <IconClockPause size={16} />, onClick: () => onDialog('snooze') },
          { key: 'pin', label: conversation.pinned ? t('conversation.unpin') : t('conversation.pin'), icon: conversation.pinned ? <IconPinnedOff size={16} /> : <IconPin size={16} />, onClick: () => void actions.patch(conversation, { pinned: !conversation.pinned }) },
          { key: 'mute', label: conversation.muted ? t('conversation.unmute') : t('conversation.mute'), icon: conversation.muted ? <IconBell size={16} /> : <IconBellOff size={16} />, onClick: () => void actions.patch(conversation, { muted: !conversation.muted }) },
          { key: 'archive', label: conversation.archived ? t('conversation.unarchive') : t('conversation.archive'), icon: <IconArchive size={16} />, onClick: () => void actions.patch(conversation, { archived: !conversation.archived }) },
          { key: 'unread', label: t('conversation.unread'), icon: <IconMail size={16} />, onClick: () => void actions.unread(conversation) },
          { key: 'date', label: t('conversation.goToDate'), icon: <IconCalendar size={16} />, onClick: () => onDialog('date') },
        ]}
      />
      <ActionIcon className={classes.details} variant="subtle" color="gray" size={36} aria-label={t('details.show')} title={t('details.show')} onClick={onDetails}><IconLayoutSidebarRight size={20} /></ActionIcon>
    </header>
  )
}

/** AlsoHere says which colleagues view or answer the conversation now. */
function AlsoHere({ conversation, me }: { conversation: string; me: string }) {
  const { t } = useTranslation()
  const now = useNow()
  const viewing = useCached<Ref[]>(keys.viewing(conversation)) ?? []
  const typing = useCached<{ user: Ref; at: number }>(keys.typing(conversation))
  const answering = typing && typing.user.id !== me && now - typing.at < 20_000 ? typing.user : null
  const others = viewing.filter((one) => one.id !== me && one.id !== answering?.id)
  if (!answering && others.length === 0) return null
  return (
    <div role="group" aria-label={t('conversation.alsoHere')} className={classes.also}>
      {answering && <span data-answering>{t('conversation.isAnswering', { name: answering.name })}</span>}
      {others.map((one) => <span key={one.id}>{t('conversation.isViewing', { name: one.name })}</span>)}
    </div>
  )
}
