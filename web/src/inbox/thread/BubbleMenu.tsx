import { Menu } from '@mantine/core'
import {
  IconArrowForwardUp,
  IconCopy,
  IconCornerUpLeft,
  IconInfoCircle,
  IconLayoutKanban,
  IconMessage2Bolt,
  IconMoodOff,
  IconMoodSmile,
  IconPencil,
  IconTrash,
  IconX,
} from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { cloneElement, Suspense, useState, type ReactElement } from 'react'
import { useTranslation } from 'react-i18next'
import { putMessage } from '../../api/cache'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { useChannels, useMe } from '../../api/queries'
import type { Conversation, Message } from '../../api/types'
import { withTexts } from '../../ui/i18n'
import MenuBox, { type MenuAction } from '../../ui/MenuBox'
import { part } from '../../ui/parts'
import { useActions } from '../actions'
import { canForward } from './forward'
import { canDeleteSent, canEditSent } from './sentChange'
import classes from './Bubble.module.css'

const SaveReplyDialog = part(() =>
  withTexts('talk', import('../composer/SaveReplyDialog')).then(
    (loaded) => loaded.SaveReplyDialog,
  ),
)

const MessageInfo = part(() =>
  withTexts('costs', withTexts('talk', import('./MessageInfo'))).then(
    (loaded) => loaded.MessageInfo,
  ),
)
const Confirm = part(() =>
  import('../../api/Confirm').then((loaded) => loaded.Confirm),
)
const ForwardDialog = part(() =>
  withTexts('talk', import('./ForwardDialog')).then(
    (loaded) => loaded.ForwardDialog,
  ),
)

/** canEdit reports whether a message has a text or can have a caption. */
const canEdit = ({ type }: Message) => type !== 'audio' && type !== 'sticker'

const quick = ['👍', '❤️', '😂', '😮', '😢', '🙏']

export type BubbleActionsProps = {
  message: Message
  onReply: (message: Message) => void
  onCard: (message: Message) => void
  /** onEdit opens the editor of the text. */
  onEdit?: () => void
}

/** BubbleMenu is the menu of a message. */
export function BubbleMenu({
  message,
  onReply,
  onCard,
  onEdit,
  button,
}: BubbleActionsProps & {
  button: ReactElement<{ onClick?: () => void; 'aria-expanded'?: boolean }>
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { attempt } = useActions()
  const may = useMe().scopes.includes('messages:send')
  const [reacting, setReacting] = useState(false)
  const [dialog, setDialog] = useState<
    'save' | 'info' | 'forward' | 'delete' | null
  >(null)
  const channels = useChannels().data
  const conversation = client.getQueryData<Conversation>(
    keys.conversation(message.conversation),
  )
  const linked =
    channels?.find((one) => one.id === conversation?.channel)?.provider ===
    'linked'
  const close = () => setDialog(null)
  const react = (emoji: string) =>
    attempt(() =>
      unwrap(
        api.PUT('/messages/{id}/reaction', {
          params: { path: { id: message.id } },
          body: { emoji },
        }),
      ),
    )
  const takeBack = () =>
    attempt(() =>
      unwrap(
        api.DELETE('/messages/{id}/reaction', {
          params: { path: { id: message.id } },
        }),
      ),
    )
  const params = { path: { id: message.id } }
  const remove = () => unwrap(api.DELETE('/messages/{id}', { params }))
  const deleteSent = async () => {
    await remove()
    putMessage(
      client,
      await unwrap(api.GET('/messages/{id}', { params })),
      false,
    )
  }
  const cancel = () =>
    attempt(async () => {
      await remove()
      putMessage(
        client,
        {
          ...message,
          status: 'failed',
          error: {
            code: 'window_closed',
            params: { reason: 'cancelled' },
            message: '',
          },
        },
        false,
      )
    }, t('held.cancelled'))
  const actions: MenuAction[] = []
  if (message.status === 'held' && may) {
    if (onEdit && canEdit(message))
      actions.push({
        key: 'edit',
        label: t('held.edit'),
        icon: <IconPencil size={16} />,
        onClick: onEdit,
      })
    actions.push({
      key: 'cancel',
      label: t('held.cancel'),
      icon: <IconX size={16} />,
      onClick: () => void cancel(),
    })
  }
  if (message.external_id && !message.revoked_at) {
    actions.push({
      key: 'reply',
      label: t('message.reply'),
      icon: <IconCornerUpLeft size={16} />,
      onClick: () => onReply(message),
    })
    actions.push({
      key: 'react',
      label: t('message.react'),
      icon: <IconMoodSmile size={16} />,
      keepOpen: true,
      onClick: () => setReacting(true),
    })
    if (message.reactions?.some((one) => one.by === 'team'))
      actions.push({
        key: 'takeBack',
        label: t('message.unreact'),
        icon: <IconMoodOff size={16} />,
        onClick: () => void takeBack(),
      })
  }
  if (linked && may && onEdit && canEditSent(message))
    actions.push({
      key: 'edit',
      label: t('held.edit'),
      icon: <IconPencil size={16} />,
      onClick: onEdit,
    })
  if (message.text)
    actions.push({
      key: 'copy',
      label: t('message.copy'),
      icon: <IconCopy size={16} />,
      onClick: () => void navigator.clipboard?.writeText(message.text ?? ''),
    })
  if (canForward(message))
    actions.push({
      key: 'forward',
      label: t('message.forward'),
      icon: <IconArrowForwardUp size={16} />,
      onClick: () => setDialog('forward'),
    })
  actions.push({
    key: 'card',
    label: t('card.create'),
    icon: <IconLayoutKanban size={16} />,
    onClick: () => onCard(message),
  })
  if (message.text)
    actions.push({
      key: 'save',
      label: t('message.saveReply'),
      icon: <IconMessage2Bolt size={16} />,
      onClick: () => setDialog('save'),
    })
  if (linked && may && canDeleteSent(message))
    actions.push({
      key: 'delete',
      label: t('message.delete'),
      icon: <IconTrash size={16} />,
      onClick: () => setDialog('delete'),
    })
  actions.push({
    key: 'info',
    label: t('message.info'),
    icon: <IconInfoCircle size={16} />,
    onClick: () => setDialog('info'),
  })
  return (
    <>
      <MenuBox
        button={cloneElement(button, {
          onClick: undefined,
          'aria-expanded': undefined,
        })}
        onClosed={() => setReacting(false)}
        content={
          reacting && (
            <div className={classes.quick}>
              {quick.map((emoji) => (
                <Menu.Item key={emoji} onClick={() => void react(emoji)}>
                  {emoji}
                </Menu.Item>
              ))}
            </div>
          )
        }
        actions={actions}
      />
      <Suspense fallback={null}>
        {dialog === 'save' && (
          <SaveReplyDialog text={message.text ?? ''} onClose={close} />
        )}
        {dialog === 'info' && <MessageInfo message={message} onClose={close} />}
        {dialog === 'forward' && (
          <ForwardDialog message={message} onClose={close} />
        )}
        {dialog === 'delete' && (
          <Confirm
            title={t('message.deleteTitle')}
            text={t('message.deleteText')}
            action={t('message.deleteForAll')}
            task={deleteSent}
            onClose={close}
          />
        )}
      </Suspense>
    </>
  )
}
