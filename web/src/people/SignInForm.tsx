import { Alert, Button, NativeSelect, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, Failure, sessionBegan, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { PasswordField } from './PasswordField'
import { signInProblem } from './reason'
import classes from './people.module.css'

type Props = {
  email?: string
  fixedEmail?: boolean
  demo?: { email: string; password: string } | null
  onDone?: () => void
}

/** SignInForm asks for e-mail and password, and for a code or company if the server requires it. */
export function SignInForm({
  email: known = '',
  fixedEmail = false,
  demo,
  onDone,
}: Props) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [email, setEmail] = useState(known)
  const [password, setPassword] = useState('')
  const [code, setCode] = useState<string | null>(null)
  const [companies, setCompanies] = useState<
    { value: string; label: string }[]
  >([])
  const [company, setCompany] = useState<string>()
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setProblem(null)
    try {
      const body = {
        email: email.trim(),
        password,
        ...(code ? { code: code.trim() } : {}),
        ...(company ? { company } : {}),
      }
      const session = await unwrap(api.POST('/session', { body }))
      sessionBegan()
      client.setQueryData(keys.session, session)
      onDone?.()
    } catch (error) {
      if (error instanceof Failure && error.code === 'code_required')
        setCode(code ?? '')
      if (error instanceof Failure && error.code === 'company_required') {
        const found = error.details.map((detail) => ({
          value: detail.value ?? '',
          label: String(detail.params.name ?? detail.message),
        }))
        setCompanies(found)
        setCompany(found[0]?.value)
      } else setProblem(signInProblem(error, t))
    } finally {
      setBusy(false)
    }
  }

  return (
    <form className={classes.form} onSubmit={(event) => void submit(event)}>
      {problem && (
        <Alert color="red" variant="light">
          {problem}
        </Alert>
      )}
      <TextInput
        label={t('signIn.email')}
        type="email"
        autoComplete="username"
        required
        withAsterisk={false}
        readOnly={fixedEmail}
        autoFocus={!fixedEmail}
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <PasswordField
        value={password}
        onChange={setPassword}
        autoFocus={fixedEmail}
      />
      {code !== null && (
        <TextInput
          label={t('signIn.code')}
          autoComplete="one-time-code"
          required
          withAsterisk={false}
          autoFocus
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
      )}
      {companies.length > 0 && (
        <NativeSelect
          label={t('signIn.company')}
          data={companies}
          value={company}
          onChange={(event) => setCompany(event.currentTarget.value)}
        />
      )}
      <Button type="submit" loading={busy} fullWidth size="md">
        {t('signIn.submit')}
      </Button>
      {demo && (
        <div className={classes.demo}>
          <span>
            {t('signIn.demo')} <strong>{demo.email}</strong>
          </span>
          <Button
            variant="default"
            size="xs"
            onClick={() => {
              setEmail(demo.email)
              setPassword(demo.password)
            }}
          >
            {t('signIn.fillIn')}
          </Button>
        </div>
      )}
    </form>
  )
}
