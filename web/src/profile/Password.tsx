import { Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { refusedField } from '../api/refusal'
import { useMe } from '../api/queries'
import { useSubmit } from '../api/useSubmit'
import { PasswordField } from '../people/PasswordField'
import { FormFooter } from '../ui/FormFooter'
import { Section } from '../ui/Layout'

/** Password changes the password, which ends all other sessions. */
export function Password() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const { user } = useMe()
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const { busy, problem, done, run, touch } = useSubmit({
    reason: (error) =>
      refusedField(error, 'body.password.current')
        ? t('profile.passwordWrong')
        : undefined,
  })
  const save = async () => {
    const changed = await run(() =>
      unwrap(api.PATCH('/me', { body: { password: { current, new: next } } })),
    )
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
        <input
          type="text"
          hidden
          readOnly
          autoComplete="username"
          value={user.email}
        />
        <Stack gap="md">
          <PasswordField
            label={t('profile.current')}
            value={current}
            onChange={change(setCurrent)}
          />
          <PasswordField
            label={t('profile.new')}
            isNew
            value={next}
            onChange={change(setNext)}
          />
          <FormFooter
            busy={busy}
            saved={done}
            problem={problem}
            submit={t('profile.changePassword')}
          />
        </Stack>
      </form>
    </Section>
  )
}
