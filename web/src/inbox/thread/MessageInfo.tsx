import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { useTranslation } from 'react-i18next'
import { keys } from '../../api/keys'
import { channelsOptions, useMe } from '../../api/queries'
import type { Conversation, Message } from '../../api/types'
import { useNumberName } from '../../api/useNumberName'
import { Dialog } from '../../ui/Dialog'
import { dateAndTime } from '../../ui/format'
import { price } from '../../ui/money'
import { categoryName } from '../../ui/priceCategory'
import { Tick } from '../../ui/Tick'
import { preview } from '../preview'
import { failureText } from '../refusal'
import { senderOf } from './sender'
import classes from './MessageInfo.module.css'

/** MessageInfo says when a message was sent, delivered and read, by whom and through which number. */
export function MessageInfo({
  message,
  onClose,
}: {
  message: Message
  onClose: () => void
}) {
  const { t } = useTranslation()
  const me = useMe().user.id
  const client = useQueryClient()
  const channels = useQuery(channelsOptions).data
  const numberName = useNumberName()
  const conversation = client.getQueryData<Conversation>(
    keys.conversation(message.conversation),
  )
  const channel = channels?.find((one) => one.id === conversation?.channel)
  const outbound = message.direction === 'outbound'
  const person =
    message.integration && message.sent_by
      ? message.sent_by.name
      : senderOf(message, conversation?.name ?? '', me, t)
  const time = (at: string | null) => (at ? dateAndTime(at) : t('info.pending'))
  return (
    <Dialog title={t('message.info')} size="sm" onClose={onClose}>
      <p className={classes.text}>{preview(message, t)}</p>
      <dl className={classes.facts}>
        {!outbound && (
          <Fact
            name={t('info.received')}
            value={dateAndTime(message.created_at)}
          />
        )}
        {outbound && message.status === 'failed' && (
          <Fact
            name={t('info.failed')}
            icon={<Tick status="failed" />}
            value={failureText(message, t)}
          />
        )}
        {outbound && message.status === 'held' && (
          <Fact name={t('info.held')} value={dateAndTime(message.created_at)} />
        )}
        {outbound &&
          message.status !== 'failed' &&
          message.status !== 'held' && (
            <>
              <Fact
                name={t('info.sent')}
                icon={<Tick status="sent" />}
                value={dateAndTime(message.sent_at ?? message.created_at)}
              />
              <Fact
                name={t('info.delivered')}
                icon={<Tick status="delivered" />}
                value={time(message.delivered_at)}
              />
              <Fact
                name={t('info.read')}
                icon={<Tick status="read" />}
                value={time(message.read_at)}
              />
            </>
          )}
        {message.edited_at && (
          <Fact
            name={t('info.edited')}
            value={dateAndTime(message.edited_at)}
          />
        )}
        <Fact name={t('info.by')} value={person} />
        {message.integration && (
          <Fact name={t('info.integration')} value={message.integration.name} />
        )}
        {message.cost && message.status !== 'failed' && (
          <Fact name={t('info.cost')} value={costText(message.cost, t)} />
        )}
        {channel && (
          <Fact name={t('info.number')} value={numberName(channel)} />
        )}
      </dl>
    </Dialog>
  )
}

/** costText returns the price category of a message, and what it costs if the price is known. */
function costText(
  { category, billable, amount, currency }: NonNullable<Message['cost']>,
  t: TFunction,
): string {
  const sum = !billable
    ? t('info.free')
    : amount !== null && currency
      ? price(amount, currency)
      : ''
  return [categoryName(category, t), sum].filter(Boolean).join(' · ')
}

function Fact({
  name,
  value,
  icon,
}: {
  name: string
  value: string
  icon?: React.ReactNode
}) {
  return (
    <div>
      <dt>
        {name} <span aria-hidden>{icon}</span>
      </dt>
      <dd>{value}</dd>
    </div>
  )
}
