import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, api, Failure } from '../api/client'
import { keys } from '../api/keys'
import { refusedField } from '../api/problem'
import { useMe } from '../api/queries'
import { Section } from '../ui/Section'
import { Saved } from '../ui/Saved'
import { useSubmit } from '../api/useSubmit'

/** Person changes the name, the e-mail address and the signature. */
export function Person() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { user } = useMe()
  const [name, setName] = useState(user.name)
  const [email, setEmail] = useState(user.email)
  const [signature, setSignature] = useState(user.signature)
  const { busy, problem, done, run, touch } = useSubmit((error) => {
    if (error instanceof Failure && error.code === 'name_taken') return t('profile.emailTaken')
    return refusedField(error, 'body.email') ? t('profile.emailWrong') : undefined
  })
  const change = (set: (text: string) => void) => (event: { currentTarget: { value: string } }) => {
    set(event.currentTarget.value)
    touch()
  }
  const save = () =>
    run(async () => {
      const session = await answer(api.PATCH('/me', { body: { name: name.trim(), email: email.trim(), signature: signature.trim() } }))
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
          {problem && <Alert color="red" variant="light">{problem}</Alert>}
          <TextInput label={t('profile.name')} required withAsterisk={false} maxLength={120} autoComplete="name" value={name} onChange={change(setName)} />
          <TextInput label={t('profile.email')} type="email" required withAsterisk={false} maxLength={254} autoComplete="email" value={email} onChange={change(setEmail)} />
          <TextInput label={t('profile.signature')} description={t('profile.signatureText')} placeholder={user.name} maxLength={120} value={signature} onChange={change(setSignature)} />
          <Group justify="flex-end">
            <Saved shown={done} />
            <Button type="submit" loading={busy}>{t('common.save')}</Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}
