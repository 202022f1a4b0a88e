import { ActionIcon, Button } from '@mantine/core'
import { IconBan, IconChevronDown, IconCopy, IconCornerUpLeft, IconLayoutKanban, IconMoodSmile } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, api } from '../api/client'
import { has } from '../api/planned'
import type { Conversation, Message } from '../api/types'
import { ActionMenu, type MenuAction } from '../ui/ActionMenu'
import { clock } from '../ui/format'
import { RichText } from '../ui/RichText'
import { Tick } from '../ui/Tick'
import { useActions } from './actions'
import { Attached } from './Attached'
import { preview } from './preview'
import { SendAgain } from './SendAgain'
import classes from './Bubble.module.css'

/** useSender is who wrote a message, as the article's name says it. */
export function useSender() {
  const { t } = useTranslation()
  return (message: Message, conversation: Conversation, me: string): string => {
    if (message.direction === 'inbound') return message.author?.name ?? conversation.name
    if (message.origin === 'phone') return t('conversation.phone')
    if (message.sent_by?.id === me) return t('conversation.you')
    return message.sent_by?.name ?? t('conversation.integration')
  }
}

type Props = {
  message: Message
  me: string
  conversation: Conversation
  quoted: Message | undefined
  find: string
  found: boolean
  onReply: (message: Message) => void
  onGoTo: (id: string) => void
  onCard: (message: Message) => void
}

const quick = ['👍', '❤️', '😂', '😮', '😢', '🙏']

/** Bubble is one message. */
export function Bubble({ message, me, conversation, quoted, find, found, onReply, onGoTo, onCard }: Props) {
  const { t } = useTranslation()
  const senderOf = useSender()
  const { attempt } = useActions()
  const [reacting, setReacting] = useState(false)
  const outbound = message.direction === 'outbound'
  const sender = senderOf(message, conversation, me)
  const status = outbound && message.status !== 'received' ? message.status : null
  const label = [sender, clock(message.created_at), status ? t(`status.${status}`) : ''].filter(Boolean).join(', ')
  const named = (outbound && message.sent_by?.id !== me) || conversation.kind === 'group'
  const hit = find !== '' && (message.text ?? '').toLocaleLowerCase().includes(find.toLocaleLowerCase())
  const react = (emoji: string) => attempt(() => answer(api.PUT('/messages/{id}/reaction', { params: { path: { id: message.id } }, body: { emoji } })))
  const actions: MenuAction[] = []
  if (message.external_id) {
    actions.push({ key: 'reply', label: t('message.reply'), icon: <IconCornerUpLeft size={16} />, onClick: () => onReply(message) })
    if (has.reactions) actions.push({ key: 'react', label: t('message.react'), icon: <IconMoodSmile size={16} />, keepOpen: true, onClick: () => setReacting(true) })
  }
  if (message.text) actions.push({ key: 'copy', label: t('message.copy'), icon: <IconCopy size={16} />, onClick: () => void navigator.clipboard?.writeText(message.text ?? '') })
  actions.push({ key: 'card', label: t('card.create'), icon: <IconLayoutKanban size={16} />, onClick: () => onCard(message) })
  return (
    <article className={classes.bubble} data-side={outbound ? 'out' : 'in'} data-entry={message.id} data-hit={hit || undefined} data-found={found || undefined} aria-label={label}>
      {named && <p className={classes.author}>{sender}</p>}
      {message.reply_to_external_id && (
        <div className={classes.quote}>
          <strong>{quoted ? senderOf(quoted, conversation, me) : t('conversation.earlier')}</strong>
          {quoted && <span>{preview(quoted, t)}</span>}
          {quoted && <button type="button" aria-label={t('conversation.goToQuoted')} onClick={() => onGoTo(quoted.id)} />}
        </div>
      )}
      {message.revoked_at && !message.text && !message.media ? (
        <p className={classes.gone}><IconBan size={15} /> {t('conversation.deleted')}</p>
      ) : (
        <>
          <Attached message={message} />
          {message.text && message.type !== 'location' && <p className={classes.text}><RichText text={message.text} /></p>}
        </>
      )}
      <span className={classes.meta}>
        {message.edited_at && <span>{t('conversation.edited')}</span>}
        <time dateTime={message.created_at}>{clock(message.created_at)}</time>
        {status && <Tick status={status} />}
      </span>
      {message.status === 'failed' && <SendAgain message={message} />}
      {message.reactions && message.reactions.length > 0 && (
        <span className={classes.reactions}>
          {message.reactions.map((reaction) => (
            <span key={`${reaction.by} ${reaction.emoji}`} title={reaction.user?.name ?? conversation.name}>{reaction.emoji}</span>
          ))}
        </span>
      )}
      <ActionMenu
        button={<ActionIcon className={classes.actions} variant="default" size={24} aria-label={t('message.actions')}><IconChevronDown size={14} /></ActionIcon>}
        onClosed={() => setReacting(false)}
        content={reacting && <div className={classes.quick}>{quick.map((emoji) => <Button key={emoji} variant="subtle" size="compact-md" onClick={() => void react(emoji)}>{emoji}</Button>)}</div>}
        actions={actions}
      />
    </article>
  )
}
