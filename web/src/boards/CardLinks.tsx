import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { useNames } from '../api/queries'
import type { Conversation } from '../api/types'
import { personName } from '../contact/erased'
import { phone } from '../ui/format'
import classes from './CardDialog.module.css'

type Props = {
  value: string | null
  disabled: boolean
  onChange: (id: string | null) => void
}

/** useLinkedContact returns the contact linked to a card. */
const useLinkedContact = (id: string | null) =>
  useQuery({
    queryKey: keys.contact(id ?? ''),
    enabled: id !== null,
    queryFn: () =>
      unwrap(api.GET('/contacts/{id}', { params: { path: { id: id ?? '' } } })),
  })

/** useLinkedConversation returns the conversation linked to a card. */
const useLinkedConversation = (id: string | null) =>
  useQuery({
    queryKey: keys.conversation(id ?? ''),
    enabled: id !== null,
    queryFn: () =>
      unwrap(
        api.GET('/conversations/{id}', { params: { path: { id: id ?? '' } } }),
      ),
  })

/** useConversationName names a conversation by customer and number, since a customer may write to several numbers. */
function useConversationName() {
  const { t } = useTranslation()
  const names = useNames()
  return (one: Conversation) =>
    [personName(one, t), names.channel(one.channel)?.name]
      .filter(Boolean)
      .join(', ')
}

/** ContactName shows the name of a contact. */
export function ContactName({ id }: { id: string }) {
  const { t } = useTranslation()
  const found = useLinkedContact(id)
  return found.data?.name ?? (found.isError ? t('boards.otherContact') : '')
}

/** ConversationName shows the name of a conversation. */
export function ConversationName({ id }: { id: string }) {
  const { t } = useTranslation()
  const name = useConversationName()
  const found = useLinkedConversation(id)
  return found.data
    ? name(found.data)
    : found.isError
      ? t('boards.otherConversation')
      : ''
}

/** ContactField searches contacts by name or phone. */
export function ContactField({ value, disabled, onChange }: Props) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const [wanted] = useDebouncedValue(text.trim(), 250)
  const current = useLinkedContact(value).data
  const searching = wanted.length >= 2 && wanted !== current?.name
  const found =
    useQuery({
      queryKey: keys.contacts(wanted),
      enabled: searching,
      queryFn: () =>
        unwrap(
          api.GET('/contacts', { params: { query: { q: wanted, limit: 10 } } }),
        ),
    }).data?.data ?? []
  const people = [
    ...(current ? [current] : []),
    ...(searching ? found : []).filter((one) => one.id !== current?.id),
  ]
  return (
    <Select
      label={t('details.contact')}
      searchable
      clearable
      disabled={disabled}
      placeholder={t('boards.contactText')}
      nothingFoundMessage={searching ? t('list.nothingFound') : undefined}
      value={value}
      filter={({ options }) => options}
      data={people.map((one) => ({
        value: one.id,
        label:
          one.phone &&
          people.filter((other) => other.name === one.name).length > 1
            ? `${one.name}, ${phone(one.phone)}`
            : one.name,
      }))}
      onSearchChange={setText}
      onChange={onChange}
      clearButtonProps={{ 'aria-label': t('boards.noContact') }}
    />
  )
}

/** ConversationField searches conversations by name or phone. Those of the card's contact are offered without a search. */
export function ConversationField({
  value,
  contact,
  disabled,
  onChange,
}: Props & { contact: string | null }) {
  const { t } = useTranslation()
  const name = useConversationName()
  const [text, setText] = useState('')
  const [wanted] = useDebouncedValue(text.trim(), 250)
  const current = useLinkedConversation(value).data
  const searching = wanted.length >= 2 && (!current || wanted !== name(current))
  const query = searching ? { q: wanted } : contact ? { contact } : null
  const found = useQuery({
    queryKey: keys.conversationChoices(query ?? {}),
    enabled: query !== null && !disabled,
    staleTime: 30_000,
    queryFn: () =>
      unwrap(
        api.GET('/conversations', {
          params: { query: { ...query, limit: 10 } },
        }),
      ),
  }).data?.data
  const offered = [
    ...(current ? [current] : []),
    ...(query && found ? found : []).filter((one) => one.id !== current?.id),
  ]
  return (
    <Select
      className={classes.wide}
      label={t('boards.field.conversation')}
      searchable
      clearable
      disabled={disabled}
      placeholder={t('boards.contactText')}
      nothingFoundMessage={searching ? t('list.nothingFound') : undefined}
      value={value}
      filter={({ options }) => options}
      data={offered.map((one) => ({ value: one.id, label: name(one) }))}
      onSearchChange={setText}
      onChange={onChange}
      clearButtonProps={{ 'aria-label': t('boards.noConversation') }}
    />
  )
}
