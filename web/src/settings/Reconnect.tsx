import { Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, api } from '../api/client'
import { keys } from '../api/keys'
import type { Channel } from '../api/types'
import { Credential, credentialFields, emptyCredentials } from './Credential'
import { FormFooter, Section } from './Page'
import { useSave } from './useSave'

/** Reconnect gives a number new credentials; what is left empty stays as it is. */
export function Reconnect({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [values, setValues] = useState(emptyCredentials)
  const { busy, saved, problems, save, edited } = useSave(credentialFields.map((field) => `credentials.${field}`))
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const done = await save(async () => {
      await answer(api.PATCH('/channels/{id}', { params: { path: { id: channel.id } }, body: { credentials: given } }))
      await Promise.all([keys.channels, keys.connection(channel.id)].map((queryKey) => client.invalidateQueries({ queryKey })))
    })
    if (done) setValues(emptyCredentials)
  }
  return (
    <Section title={t('connect.renew')} text={t('connect.renewText')}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          {(['token', 'app_secret'] as const).map((field) => (
            <Credential
              key={field} name={field} optional value={values[field]} error={problems.fields[`credentials.${field}`]} placeholder={t('connect.unchanged')}
              onChange={(value) => {
                edited()
                setValues({ ...values, [field]: value })
              }}
            />
          ))}
          <FormFooter busy={busy} saved={saved} problem={problems.other ?? problems.fields['credentials.phone_number_id'] ?? problems.fields['credentials.waba_id'] ?? null} submit={t('connect.renewSubmit')} disabled={Object.keys(given).length === 0} />
        </Stack>
      </form>
    </Section>
  )
}
