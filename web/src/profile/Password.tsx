import { Alert, Button, Group, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, api } from '../api/client'
import { keys } from '../api/keys'
import { refusedField } from '../api/problem'
import { useMe } from '../api/queries'
import { PasswordField } from '../people/PasswordField'
import { Section } from '../ui/Section'
import { Saved } from '../ui/Saved'
import { useSubmit } from '../api/useSubmit'

/** Password replaces the password; other sessions end. */
export function Password() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { user } = useMe()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const { busy, problem, done, run, touch } = useSubmit((error) => (refusedField(error, 'body.password.current') ? t('profile.passwordWrong') : undefined))
  const save = async () => {
    const changed = await run(() => answer(api.PATCH('/me', { body: { password: { current, new: next } } })))
    if (!changed) return
    setCurrent('')
    setNext('')
    void client.invalidateQueries({ queryKey: keys.sessions })
  }
  const change = (set: (text: string) => void) => (text: string) => {
    set(text)
    touch()
  }
  return (
    <Section title={t('profile.password')} text={t('profile.passwordText')}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <input type="text" hidden readOnly autoComplete="username" value={user.email} />
        <Stack gap="md">
          {problem && <Alert color="red" variant="light">{problem}</Alert>}
          <PasswordField label={t('profile.current')} value={current} onChange={change(setCurrent)} />
          <PasswordField label={t('profile.new')} isNew value={next} onChange={change(setNext)} />
          <Group justify="flex-end">
            <Saved shown={done} />
            <Button type="submit" loading={busy}>{t('profile.changePassword')}</Button>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}
