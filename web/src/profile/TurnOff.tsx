import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { refusedField } from '../api/refusal'
import { useSubmit } from '../api/useSubmit'
import { PasswordField } from '../people/PasswordField'
import { Dialog } from '../ui/Dialog'
import classes from './Profile.module.css'

/** TurnOff turns two-factor sign-in off after asking for the password and a code. */
export function TurnOff({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const { busy, problem, run } = useSubmit({
    reason: (error) =>
      refusedField(error, 'body.password')
        ? t('profile.passwordWrong')
        : undefined,
  })
  const turnOff = async () => {
    const off = await run(async () => {
      await unwrap(
        api.POST('/me/two-factor/disable', {
          body: { password, code: code.trim() },
        }),
      )
      await client.invalidateQueries({ queryKey: keys.session })
    })
    if (off) onClose()
  }
  return (
    <Dialog role="alertdialog" title={t('twoFactor.turnOff')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void turnOff()
        }}
      >
        <Stack gap="md">
          {problem && (
            <Alert color="red" variant="light">
              {problem}
            </Alert>
          )}
          <p className={classes.text}>{t('twoFactor.offText')}</p>
          <PasswordField
            label={t('profile.current')}
            autoFocus
            value={password}
            onChange={setPassword}
          />
          <TextInput
            label={t('signIn.code')}
            description={t('twoFactor.orRecovery')}
            required
            withAsterisk={false}
            autoComplete="one-time-code"
            maxLength={40}
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" color="red" loading={busy}>
              {t('twoFactor.turnOff')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
