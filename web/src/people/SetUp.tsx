import { Alert, Button, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, Failure, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { Loading } from '../ui/states'
import { TimezoneSelect } from '../ui/TimezoneSelect'
import { Entrance } from './Entrance'
import { LanguageSelect } from './LanguageSelect'
import { PasswordField } from './PasswordField'
import { signInProblem } from './reason'
import classes from './people.module.css'

const here = Intl.DateTimeFormat().resolvedOptions().timeZone

type Props = { token: string; onDone: () => void; onSignIn: () => void }

/** SetUp creates the first company. If there already is one, it links to the sign-in page. */
export function SetUp({ token, onDone, onSignIn }: Props) {
  const { t } = useTranslation()
  const setup = useQuery({
    queryKey: keys.setup,
    queryFn: () => unwrap(api.GET('/setup')),
  })
  const client = useQueryClient()
  const isUsed = setup.data?.needed === false
  return (
    <Entrance
      title={t('setup.title')}
      text={isUsed ? undefined : t('setup.text')}
    >
      {isUsed ? (
        <>
          <Alert variant="light" role="status">
            {t('setup.done')}
          </Alert>
          <Button autoFocus onClick={onSignIn}>
            {t('signIn.title')}
          </Button>
        </>
      ) : setup.isPending ? (
        <Loading rows={5} />
      ) : (
        <SetUpForm
          token={token}
          onDone={onDone}
          onUsed={() => void client.invalidateQueries({ queryKey: keys.setup })}
        />
      )}
      <LanguageSelect />
    </Entrance>
  )
}

function SetUpForm({
  token,
  onDone,
  onUsed,
}: {
  token: string
  onDone: () => void
  onUsed: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [company, setCompany] = useState('')
  const [name, setName] = useState('')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [timezone, setTimezone] = useState(here)
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setProblem(null)
    try {
      client.setQueryData(
        keys.session,
        await unwrap(
          api.POST('/setup', {
            body: { token, company, timezone, name, email, password },
          }),
        ),
      )
      onDone()
    } catch (error) {
      if (error instanceof Failure && error.status === 404) return onUsed()
      const refused = error instanceof Failure && error.status === 401
      setProblem(refused ? t('setup.tokenWrong') : signInProblem(error, t))
    } finally {
      setBusy(false)
    }
  }
  return (
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
        label={t('setup.company')}
        required
        withAsterisk={false}
        maxLength={120}
        autoFocus
        value={company}
        onChange={(event) => setCompany(event.currentTarget.value)}
      />
      <TextInput
        label={t('setup.name')}
        required
        withAsterisk={false}
        maxLength={120}
        autoComplete="name"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label={t('signIn.email')}
        type="email"
        required
        withAsterisk={false}
        autoComplete="username"
        value={email}
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
      <PasswordField isNew value={password} onChange={setPassword} />
      <TimezoneSelect value={timezone} onChange={setTimezone} />
      <Button type="submit" loading={busy} fullWidth size="md">
        {t('setup.submit')}
      </Button>
    </form>
  )
}
