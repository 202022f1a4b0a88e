import { Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { useMe } from '../api/queries'
import { useSubmit } from '../api/useSubmit'
import { FormFooter } from '../ui/FormFooter'
import { Section } from '../ui/Layout'

/** Person edits the user's name, e-mail address and signature. */
export function Person() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { user } = useMe()
  const [name, setName] = useState(user.name)
  const [email, setEmail] = useState(user.email)
  const [signature, setSignature] = useState(user.signature)
  const { busy, problem, wrong, done, run, touch } = useSubmit({
    fields: ['name', 'email', 'signature'],
    taken: 'email',
  })
  const change =
    (set: (text: string) => void) =>
    (event: { currentTarget: { value: string } }) => {
      set(event.currentTarget.value)
      touch()
    }
  const save = () =>
    run(async () => {
      const session = await unwrap(
        api.PATCH('/me', {
          body: {
            name: name.trim(),
            email: email.trim(),
            signature: signature.trim(),
          },
        }),
      )
      client.setQueryData(keys.session, session)
      void client.invalidateQueries({ queryKey: keys.team })
    })
  return (
    <Section title={t('profile.person')}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <Stack gap="md">
          <TextInput
            label={t('profile.name')}
            required
            withAsterisk={false}
            maxLength={120}
            autoComplete="name"
            value={name}
            error={wrong.name}
            onChange={change(setName)}
          />
          <TextInput
            label={t('profile.email')}
            type="email"
            required
            withAsterisk={false}
            maxLength={254}
            autoComplete="email"
            value={email}
            error={wrong.email}
            onChange={change(setEmail)}
          />
          <TextInput
            label={t('profile.signature')}
            description={t('profile.signatureText')}
            placeholder={user.name}
            maxLength={120}
            value={signature}
            error={wrong.signature}
            onChange={change(setSignature)}
          />
          <FormFooter
            busy={busy}
            saved={done}
            problem={problem}
            submit={t('common.save')}
          />
        </Stack>
      </form>
    </Section>
  )
}
