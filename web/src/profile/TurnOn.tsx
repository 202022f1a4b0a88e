import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { refusedField } from '../api/refusal'
import { useSubmit } from '../api/useSubmit'
import { PasswordField } from '../people/PasswordField'
import { CopyField } from '../ui/CopyField'
import { Dialog } from '../ui/Dialog'
import { QrCode } from '../ui/QrCode'
import { RecoveryCodes } from './RecoveryCodes'
import classes from './Profile.module.css'

/** TurnOn asks for the password, shows the secret, and turns two-factor sign-in on with a first code. */
export function TurnOn({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [password, setPassword] = useState('')
  const [secret, setSecret] = useState<{
    secret: string | null
    url: string | null
  }>()
  const [code, setCode] = useState('')
  const [recovery, setRecovery] = useState<string[]>()
  const { busy, problem, run } = useSubmit({
    reason: (error) => {
      if (refusedField(error, 'body.password'))
        return t('profile.passwordWrong')
      return refusedField(error, 'body.code')
        ? t('refusal.code_invalid')
        : undefined
    },
  })
  const next = () =>
    run(async () => {
      if (!secret)
        return setSecret(
          await unwrap(api.POST('/me/two-factor', { body: { password } })),
        )
      setRecovery(
        (
          await unwrap(
            api.POST('/me/two-factor/confirm', { body: { code: code.trim() } }),
          )
        ).recovery_codes ?? [],
      )
      await client.invalidateQueries({ queryKey: keys.session })
    })
  if (recovery) return <RecoveryCodes codes={recovery} onClose={onClose} />
  return (
    <Dialog
      title={t('twoFactor.title')}
      onClose={onClose}
      closeOnClickOutside={false}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void next()
        }}
      >
        <Stack gap="md">
          {problem && (
            <Alert color="red" variant="light">
              {problem}
            </Alert>
          )}
          {secret ? (
            <>
              <p className={classes.text}>{t('twoFactor.scan')}</p>
              <QrCode text={secret.url ?? ''} label={t('twoFactor.qrCode')} />
              <p className={classes.text}>{t('twoFactor.secret')}</p>
              <CopyField value={secret.secret ?? ''} />
              <TextInput
                label={t('signIn.code')}
                required
                withAsterisk={false}
                autoFocus
                inputMode="numeric"
                autoComplete="one-time-code"
                maxLength={10}
                value={code}
                onChange={(event) => setCode(event.currentTarget.value)}
              />
            </>
          ) : (
            <PasswordField
              label={t('profile.current')}
              autoFocus
              value={password}
              onChange={setPassword}
            />
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={busy}>
              {secret ? t('twoFactor.turnOn') : t('twoFactor.next')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
