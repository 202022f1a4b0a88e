import { Alert, Button, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, Failure, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { Loading } from '../ui/states'
import { Entrance } from './Entrance'
import { LanguageSelect } from './LanguageSelect'
import { PasswordField } from './PasswordField'
import { signInProblem } from './reason'
import classes from './people.module.css'

/** Welcome accepts an invitation or sets a new password. */
export function Welcome({
  token,
  onDone,
}: {
  token: string
  onDone: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const link = useQuery({
    queryKey: ['welcome', token],
    queryFn: () =>
      unwrap(api.GET('/welcome', { params: { query: { token } } })),
  })
  const [name, setName] = useState<string | null>(null)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState<string | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setProblem(null)
    try {
      const chosen = name ?? link.data?.name ?? ''
      const body = {
        token,
        password,
        ...(link.data?.kind === 'invitation' && chosen ? { name: chosen } : {}),
        ...(code ? { code } : {}),
      }
      client.setQueryData(
        keys.session,
        await unwrap(api.POST('/welcome', { body })),
      )
      onDone()
    } catch (error) {
      if (error instanceof Failure && error.code === 'code_required')
        setCode('')
      setProblem(signInProblem(error, t))
    } finally {
      setBusy(false)
    }
  }
  const text = link.data
    ? t(link.data.kind === 'reset' ? 'welcome.reset' : 'welcome.invitation', {
        company: link.data.company.name,
      })
    : undefined
  return (
    <Entrance title={t('welcome.title')} text={text}>
      {link.isPending && <Loading rows={3} />}
      {link.isError && (
        <>
          <Alert color="red" variant="light">
            {t('welcome.gone')}
          </Alert>
          <Button variant="default" onClick={onDone}>
            {t('signIn.title')}
          </Button>
        </>
      )}
      {link.data && (
        <form
          className={`${classes.form} ${classes.panel}`}
          onSubmit={(event) => void submit(event)}
        >
          {problem && (
            <Alert color="red" variant="light">
              {problem}
            </Alert>
          )}
          <TextInput
            label={t('signIn.email')}
            readOnly
            autoComplete="username"
            value={link.data.email}
          />
          {link.data.kind === 'invitation' && (
            <TextInput
              label={t('setup.name')}
              required
              withAsterisk={false}
              autoComplete="name"
              value={name ?? link.data.name ?? ''}
              onChange={(event) => setName(event.currentTarget.value)}
            />
          )}
          <PasswordField isNew value={password} onChange={setPassword} />
          {code !== null && (
            <TextInput
              label={t('signIn.code')}
              required
              withAsterisk={false}
              autoComplete="one-time-code"
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
            />
          )}
          <Button type="submit" loading={busy} fullWidth size="md">
            {t('welcome.submit')}
          </Button>
        </form>
      )}
      <LanguageSelect />
    </Entrance>
  )
}
