import { Checkbox, Stack } from '@mantine/core'
import { useState, type FormEvent, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useSubmit } from '../api/useSubmit'
import { FormFooter } from '../ui/FormFooter'
import { Section } from '../ui/Layout'
import { Credential, credentialFields, emptyCredentials } from './Credential'
import {
  NewNumberPage,
  NumberName,
  NumberPrivacy,
  useNewNumber,
} from './NewNumber'
import classes from './Settings.module.css'

/** ConnectNumber is the guide to connecting a WhatsApp number. Each step says where to find a value at Meta. */
export function ConnectNumber() {
  const { t } = useTranslation()
  const number = useNewNumber()
  const [values, setValues] = useState(emptyCredentials)
  const [coexistence, setCoexistence] = useState(false)
  const { busy, problem, wrong, run } = useSubmit({
    fields: [
      'name',
      ...credentialFields.map((field) => `credentials.${field}`),
    ],
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(() =>
      number.create(
        {
          provider: 'whatsapp',
          credentials: values,
          ...(coexistence ? { coexistence } : {}),
        },
        '/connected',
      ),
    )
  }
  const field = (key: keyof typeof values) => (
    <Credential
      name={key}
      value={values[key]}
      error={wrong[`credentials.${key}`]}
      onChange={(value) => setValues({ ...values, [key]: value })}
    />
  )
  return (
    <NewNumberPage title={t('connect.title')} text={t('connect.text')}>
      <form onSubmit={submit}>
        <ol className={classes.steps}>
          <Step title={t('connect.app')} text={t('connect.appText')}>
            <a
              href="https://developers.facebook.com/apps"
              target="_blank"
              rel="noopener noreferrer"
              className={classes.link}
            >
              developers.facebook.com/apps
            </a>
          </Step>
          <Step title={t('connect.number')} text={t('connect.numberText')}>
            {field('phone_number_id')}
            {field('waba_id')}
          </Step>
          <Step title={t('connect.secret')} text={t('connect.secretText')}>
            {field('app_secret')}
          </Step>
          <Step title={t('connect.token')} text={t('connect.tokenText')}>
            {field('token')}
          </Step>
          <Step title={t('connect.here')} text={t('connect.hereText')}>
            <NumberName number={number} error={wrong.name} />
            <Checkbox
              label={t('connect.coexistence')}
              description={t('connect.coexistenceText')}
              checked={coexistence}
              onChange={(event) => setCoexistence(event.currentTarget.checked)}
            />
            <NumberPrivacy number={number} />
            <FormFooter
              busy={busy}
              problem={problem}
              submit={t('connect.submit')}
            />
          </Step>
        </ol>
      </form>
    </NewNumberPage>
  )
}

function Step({
  title,
  text,
  children,
}: {
  title: string
  text: string
  children: ReactNode
}) {
  return (
    <li>
      <Section title={title} text={text}>
        <Stack gap="md">{children}</Stack>
      </Section>
    </li>
  )
}
