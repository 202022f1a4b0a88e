import { Checkbox, Stack, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState, type FormEvent, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { useSubmit } from '../api/useSubmit'
import { FormFooter } from '../ui/FormFooter'
import { Page, Section } from '../ui/Layout'
import { Credential, credentialFields, emptyCredentials } from './Credential'
import classes from './Settings.module.css'

/** ConnectNumber is the guide to connecting a WhatsApp number. Each step says where to find a value at Meta. */
export function ConnectNumber() {
  const { t } = useTranslation()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [values, setValues] = useState(emptyCredentials)
  const [coexistence, setCoexistence] = useState(false)
  const [isPrivate, setPrivate] = useState(false)
  const { busy, problem, wrong, run } = useSubmit({
    fields: [
      'name',
      ...credentialFields.map((field) => `credentials.${field}`),
    ],
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(async () => {
      const made = await unwrap(
        api.POST('/channels', {
          body: {
            name: name.trim(),
            provider: 'whatsapp',
            credentials: values,
            ...(coexistence ? { coexistence } : {}),
            ...(isPrivate ? { private: true } : {}),
          },
        }),
      )
      await Promise.all(
        [keys.channels, keys.privateChannels].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      )
      void navigate({
        to: '/settings/$',
        params: { _splat: `channels/${made.id}/connected` },
      })
    })
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
    <Page
      title={t('connect.title')}
      text={t('connect.text')}
      action={
        <Link
          to="/settings/$"
          params={{ _splat: 'channels' }}
          className={classes.link}
        >
          {t('common.cancel')}
        </Link>
      }
    >
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
            <TextInput
              label={t('settings.name')}
              placeholder={t('connect.namePlaceholder')}
              required
              withAsterisk={false}
              maxLength={120}
              value={name}
              error={wrong.name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Checkbox
              label={t('connect.coexistence')}
              description={t('connect.coexistenceText')}
              checked={coexistence}
              onChange={(event) => setCoexistence(event.currentTarget.checked)}
            />
            <Checkbox
              label={t('channels.privateNumber')}
              description={t('channels.privateText')}
              checked={isPrivate}
              onChange={(event) => setPrivate(event.currentTarget.checked)}
            />
            <FormFooter
              busy={busy}
              problem={problem}
              submit={t('connect.submit')}
            />
          </Step>
        </ol>
      </form>
    </Page>
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
