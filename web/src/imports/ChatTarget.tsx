import { Autocomplete, NativeSelect } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { useChannels } from '../api/queries'
import { useNumberName } from '../api/useNumberName'
import { phone as formatted } from '../ui/format'
import { typedPhone, typedSoFar } from '../ui/typedPhone'
import classes from './Imports.module.css'

type Person = { id: string; name: string; phone: string | null }

const labelOf = ({ name, phone }: Omit<Person, 'id'>) =>
  phone ? `${name}, ${formatted(phone)}` : name

/** useChatTarget holds the number and the contact that a chat is imported to. fields is null until both are chosen. */
export function useChatTarget(
  conversation: string | undefined,
  contact: string | undefined,
) {
  const channels = (useChannels().data ?? []).filter((one) => !one.archived_at)
  const [chosenChannel, setChannel] = useState<string>()
  const [typed, setTyped] = useState<string>()
  const begun = useQuery({
    queryKey: keys.conversation(conversation ?? ''),
    enabled: !!conversation,
    queryFn: () =>
      unwrap(
        api.GET('/conversations/{id}', {
          params: { path: { id: conversation ?? '' } },
        }),
      ),
  }).data
  const contactId = contact ?? begun?.contact ?? undefined
  const given = useQuery({
    queryKey: keys.contact(contactId ?? ''),
    enabled: !!contactId,
    queryFn: () =>
      unwrap(
        api.GET('/contacts/{id}', {
          params: { path: { id: contactId ?? '' } },
        }),
      ),
  }).data
  const who = typed ?? (given ? labelOf(given) : '')
  const [text] = useDebouncedValue(who.trim(), 250)
  const found = useQuery({
    queryKey: keys.contacts(text),
    enabled: typed !== undefined && text.length >= 2,
    queryFn: () =>
      unwrap(
        api.GET('/contacts', { params: { query: { q: text, limit: 10 } } }),
      ),
  }).data
  const people: Person[] = [...(given ? [given] : []), ...(found?.data ?? [])]
  const person = people.find((one) => labelOf(one) === who)
  const phone = person ? null : typedPhone(who)
  const channel =
    chosenChannel ?? begun?.channel ?? given?.channel_id ?? channels[0]?.id
  return {
    channels,
    channel,
    setChannel,
    who,
    setWho: (next: string) => setTyped(typedSoFar(next, who)),
    choices: [...new Set((found?.data ?? []).map(labelOf))],
    fields:
      channel && person
        ? { channel, contact: person.id }
        : channel && phone
          ? { channel, phone }
          : null,
  }
}

/** ChatTarget chooses the number and the contact of the conversation that a chat goes to. */
export function ChatTarget({
  target,
}: {
  target: ReturnType<typeof useChatTarget>
}) {
  const { t } = useTranslation()
  const id = useId()
  const numberName = useNumberName()
  return (
    <section className={classes.part} aria-labelledby={id}>
      <h3 id={id}>{t('imports.target')}</h3>
      <div className={classes.fields}>
        <NativeSelect
          label={t('new.number')}
          value={target.channel ?? ''}
          data={target.channels.map((one) => ({
            value: one.id,
            label: numberName(one),
          }))}
          onChange={(event) => target.setChannel(event.currentTarget.value)}
        />
        <Autocomplete
          label={t('new.who')}
          role="combobox"
          required
          withAsterisk={false}
          data={target.choices}
          filter={({ options }) => options}
          value={target.who}
          onChange={target.setWho}
        />
      </div>
    </section>
  )
}
