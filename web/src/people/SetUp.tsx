import { Alert, Button, Select, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, api, Failure } from '../api/client'
import { keys } from '../api/keys'
import { Entrance } from './Entrance'
import { LanguageSelect } from './LanguageSelect'
import { PasswordField } from './PasswordField'
import { signInProblem } from './reason'
import classes from './people.module.css'

const here = Intl.DateTimeFormat().resolvedOptions().timeZone
const zones = [...new Set([...Intl.supportedValuesOf('timeZone'), here])].sort() // UTC is not in the list

/** SetUp makes the first company of an installation. */
export function SetUp({ token, onDone }: { token: string; onDone: () => void }) {
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
      client.setQueryData(keys.session, await answer(api.POST('/setup', { body: { token, company, timezone, name, email, password } })))
      onDone()
    } catch (error) {
      const refused = error instanceof Failure && (error.status === 401 || error.status === 404)
      setProblem(refused ? t('setup.tokenWrong') : signInProblem(error, t))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Entrance title={t('setup.title')} text={t('setup.text')}>
      <form className={`${classes.form} ${classes.panel}`} onSubmit={(event) => void submit(event)}>
        {problem && <Alert color="red" variant="light">{problem}</Alert>}
        <TextInput label={t('setup.company')} required withAsterisk={false} maxLength={120} autoFocus value={company} onChange={(event) => setCompany(event.currentTarget.value)} />
        <TextInput label={t('setup.name')} required withAsterisk={false} maxLength={120} autoComplete="name" value={name} onChange={(event) => setName(event.currentTarget.value)} />
        <TextInput label={t('signIn.email')} type="email" required withAsterisk={false} autoComplete="username" value={email} onChange={(event) => setEmail(event.currentTarget.value)} />
        <PasswordField isNew value={password} onChange={setPassword} />
        <Select label={t('setup.timezone')} searchable data={zones} value={timezone} allowDeselect={false} onChange={(value) => value && setTimezone(value)} limit={60} />
        <Button type="submit" loading={busy} fullWidth size="md">{t('setup.submit')}</Button>
      </form>
      <LanguageSelect />
    </Entrance>
  )
}
