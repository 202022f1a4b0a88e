import { Button, Stack } from '@mantine/core'
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import type { Channel } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { FormFooter } from '../ui/FormFooter'
import { Section } from '../ui/Layout'
import { Credential, type CredentialName } from './Credential'

/** Values that are replaced often, and those that hardly ever are. */
const often: CredentialName[] = ['token', 'app_secret']
const seldom: CredentialName[] = [
  'phone_number_id',
  'waba_id',
  'verify_token',
  'api_version',
]
const fieldOf = (name: CredentialName) => `credentials.${name}`

/** Reconnect replaces a number's credentials. Empty fields keep their current value. */
export function Reconnect({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [values, setValues] = useState<Partial<Record<CredentialName, string>>>(
    {},
  )
  const [more, setMore] = useState(false)
  const shown = more ? [...often, ...seldom] : often
  const { busy, done, problem, wrong, run, touch } = useSubmit({
    fields: shown.map(fieldOf),
  })
  const given = Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== ''),
  )
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const saved = await run(async () => {
      await unwrap(
        api.PATCH('/channels/{id}', {
          params: { path: { id: channel.id } },
          body: { credentials: given },
        }),
      )
      await Promise.all(
        [keys.channels, keys.connection(channel.id)].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      )
    })
    if (saved) setValues({})
  }
  const change = (name: CredentialName) => (value: string) => {
    touch()
    setValues({ ...values, [name]: value })
  }
  return (
    <Section title={t('connect.renew')} text={t('connect.renewText')}>
      <form onSubmit={(event) => void submit(event)}>
        <Stack gap="md">
          {shown.map((name) => (
            <Credential
              key={name}
              name={name}
              optional
              value={values[name] ?? ''}
              error={wrong[fieldOf(name)]}
              placeholder={t('connect.unchanged')}
              onChange={change(name)}
            />
          ))}
          <FormFooter
            busy={busy}
            saved={done}
            problem={problem}
            submit={t('connect.renewSubmit')}
            disabled={Object.keys(given).length === 0}
          >
            <Button
              variant="subtle"
              color="gray"
              aria-expanded={more}
              leftSection={
                more ? (
                  <IconChevronUp size={16} />
                ) : (
                  <IconChevronDown size={16} />
                )
              }
              onClick={() => setMore(!more)}
            >
              {t('connect.more')}
            </Button>
          </FormFooter>
        </Stack>
      </form>
    </Section>
  )
}
