import { ActionIcon, MultiSelect, Switch, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, api } from '../api/client'
import { keys } from '../api/keys'
import { useLabels } from '../api/queries'
import type { Contact, Conversation } from '../api/types'
import { Avatar } from '../ui/Avatar'
import { phone } from '../ui/format'
import { usePhone } from '../ui/usePhone'
import { useActions } from './actions'
import { AttendanceDetails, Cards, Files, History, NotesList } from './DetailsSections'
import classes from './Details.module.css'

/** Section is a named region of the details. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  const Title = usePhone() ? 'h2' : 'h3'
  return (
    <section aria-labelledby={id} className={classes.section}>
      <Title id={id} className={classes.title}>{title}</Title>
      {children}
    </section>
  )
}

/** Details is what is known about the customer and the case. */
export function Details({ conversation, onClose }: { conversation: Conversation; onClose: () => void }) {
  const { t } = useTranslation()
  const id = conversation.contact
  const Name = usePhone() ? 'h1' : 'p' // on a phone the details are the page
  const contact = useQuery({ queryKey: keys.contact(id ?? ''), enabled: id !== null, queryFn: () => answer(api.GET('/contacts/{id}', { params: { path: { id: id ?? '' } } })) }).data
  return (
    <aside aria-label={t('details.title')} className={classes.details}>
      <ActionIcon className={classes.close} variant="subtle" color="gray" size={36} aria-label={t('details.hide')} onClick={onClose}><IconX size={18} /></ActionIcon>
      <div className={classes.head}>
        <Avatar id={conversation.contact ?? conversation.id} name={conversation.name} size={64} group={conversation.kind === 'group'} />
        <Name className={classes.name}>{conversation.name}</Name>
        {conversation.phone && <p className={classes.phone}>{phone(conversation.phone)}</p>}
      </div>
      {contact && <ContactFields key={contact.id} contact={contact} />}
      <AttendanceDetails conversation={conversation} />
      <History conversation={conversation} />
      <Cards conversation={conversation} />
      <Files conversation={conversation} />
      <NotesList conversation={conversation} />
    </aside>
  )
}

type Editable = Partial<Pick<Contact, 'name' | 'company' | 'city' | 'label_ids' | 'blocked'>>

function ContactFields({ contact }: { contact: Contact }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { attempt } = useActions()
  const labels = useLabels().data ?? []
  const [saved, setSaved] = useState(false)
  const save = (body: Editable) =>
    attempt(async () => {
      client.setQueryData(keys.contact(contact.id), await answer(api.PATCH('/contacts/{id}', { params: { path: { id: contact.id } }, body })))
      void client.invalidateQueries({ queryKey: keys.lists })
      void client.invalidateQueries({ queryKey: ['conversation'] })
      setSaved(true)
    })
  useEffect(() => {
    if (!saved) return
    const timer = setTimeout(() => setSaved(false), 2500)
    return () => clearTimeout(timer)
  }, [saved])
  return (
    <Section title={t('details.contact')}>
      <Field label={t('details.name')} value={contact.name} onSave={(name) => name && save({ name })} />
      <Field label={t('details.company')} value={contact.company ?? ''} onSave={(company) => save({ company: company || null })} />
      <Field label={t('details.city')} value={contact.city ?? ''} onSave={(city) => save({ city: city || null })} />
      <MultiSelect
        size="xs" id="contact-labels" label={t('details.labels')} data={labels.map(({ id, name }) => ({ value: id, label: name }))} value={contact.label_ids} searchable
        classNames={{ label: classes.label }} onChange={(label_ids) => void save({ label_ids })}
      />
      <Switch size="xs" label={t('details.blocked')} checked={contact.blocked} onChange={(event) => void save({ blocked: event.currentTarget.checked })} />
      <span role="status" className={classes.saved}>{saved ? t('details.saved') : ''}</span>
    </Section>
  )
}

function Field({ label, value, onSave }: { label: string; value: string; onSave: (value: string) => void }) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  return (
    <TextInput
      size="xs" label={label} value={text} maxLength={120} classNames={{ root: classes.field, label: classes.label, input: classes.input }}
      onChange={(event) => setText(event.currentTarget.value)} onBlur={() => text.trim() !== value && onSave(text.trim())} onKeyDown={(event) => event.key === 'Enter' && event.currentTarget.blur()}
    />
  )
}
