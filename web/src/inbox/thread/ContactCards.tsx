import { IconUser } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, Failure, unwrap } from '../../api/client'
import { putConversation } from '../../api/cache'
import { keys } from '../../api/keys'
import { useMe, useRowNames } from '../../api/queries'
import type { Conversation, Message } from '../../api/types'
import { useAttempt } from '../../api/useAttempt'
import { phone as formatted } from '../../ui/format'
import { toast } from '../../ui/toast'
import { typedPhone } from '../../ui/typedPhone'
import { parseContacts, type SharedContact } from './attachments'
import classes from './Attached.module.css'

/** ContactCards shows the contact cards of a message. */
export function ContactCards({ message }: { message: Message }) {
  const { t } = useTranslation()
  const cards = parseContacts(message.text ?? '')
  if (cards.length === 0)
    return (
      <p className={classes.other}>
        <IconUser size={18} /> {t('kind.contacts')}
      </p>
    )
  return cards.map((card, index) => (
    <ContactCard key={index} card={card} conversation={message.conversation} />
  ))
}

/** ContactCard shows one contact card, with buttons to write to it and to save it. */
function ContactCard({
  card,
  conversation,
}: {
  card: SharedContact
  conversation: string
}) {
  const { t } = useTranslation()
  const { scopes } = useMe()
  const [first] = card.phones
  const phone = first ? typedPhone(first) : null
  return (
    <div className={classes.card}>
      <div className={classes.person}>
        <span className={classes.face} aria-hidden>
          <IconUser size={22} />
        </span>
        <div>
          <p className={classes.title}>
            {card.name || (phone ? formatted(phone) : t('kind.contacts'))}
          </p>
          {card.phones.map((one) => (
            <p key={one} className={classes.small}>
              <a href={`tel:${one.replace(/[^\d+]/g, '')}`}>
                {formatted(typedPhone(one) ?? one)}
              </a>
            </p>
          ))}
          {card.more && <p className={classes.small}>{card.more}</p>}
        </div>
      </div>
      {phone && (
        <div className={classes.buttons}>
          {scopes.includes('conversations:write') && (
            <WriteTo
              name={card.name}
              phone={phone}
              conversation={conversation}
            />
          )}
          {scopes.includes('contacts:write') && (
            <SaveContact name={card.name} phone={phone} />
          )}
        </div>
      )}
    </div>
  )
}

type Person = { name: string; phone: string }

/** WriteTo opens the conversation with a person on the same number, creating it if needed. */
function WriteTo({
  name,
  phone,
  conversation,
}: Person & { conversation: string }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const navigate = useNavigate()
  const attempt = useAttempt()
  const names = useRowNames()
  const me = useMe().user.id
  const [busy, setBusy] = useState(false)
  const write = async () => {
    setBusy(true)
    await attempt(async () => {
      const here = client.getQueryData<Conversation>(
        keys.conversation(conversation),
      )
      const opened = await unwrap(
        api.POST('/conversations', {
          body: {
            channel_id: here?.channel ?? '',
            phone,
            ...(name ? { name } : {}),
          },
        }),
      )
      putConversation(client, opened, me)
      if (opened.assignee && opened.assignee !== me)
        toast(
          t('new.responsible', { name: names.person(opened.assignee) ?? '' }),
        )
      await navigate({
        to: '/inbox/$view/$conversation',
        params: { view: 'open', conversation: opened.id },
      })
    })
    setBusy(false)
  }
  return (
    <button
      type="button"
      className={classes.action}
      disabled={busy}
      onClick={() => void write()}
    >
      {t('contactCard.message')}
    </button>
  )
}

/** SaveContact adds a person to the contacts, or links to the contact that has the phone number. */
function SaveContact({ name, phone }: Person) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const attempt = useAttempt()
  const [busy, setBusy] = useState(false)
  const [saved, setSaved] = useState<string | null>(null)
  if (saved)
    return (
      <Link
        to="/contacts/$contact"
        params={{ contact: saved }}
        className={classes.action}
      >
        {t('contactCard.view')}
      </Link>
    )
  const save = async () => {
    setBusy(true)
    await attempt(async () => {
      try {
        const made = await unwrap(
          api.POST('/contacts', {
            body: { name: name || formatted(phone), phone },
          }),
        )
        client.setQueryData(keys.contact(made.id), made)
        void client.invalidateQueries({ queryKey: keys.contactLists })
        setSaved(made.id)
      } catch (error) {
        if (!(error instanceof Failure) || error.code !== 'contact_exists')
          throw error
        setSaved(String(error.params.id))
      }
    }, t('contactCard.saved'))
    setBusy(false)
  }
  return (
    <button
      type="button"
      className={classes.action}
      disabled={busy}
      onClick={() => void save()}
    >
      {t('contactCard.save')}
    </button>
  )
}
