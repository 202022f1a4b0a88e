import { Stack, Switch, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { Loaded } from '../api/Loaded'
import type { CompanySettings, Session } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { FormFooter } from '../ui/FormFooter'
import { Page, Section } from '../ui/Layout'
import { TimezoneSelect } from '../ui/TimezoneSelect'
import { useFresh } from './useFresh'

/** Company is the page of the company's name, time zone and general settings. */
export default function Company() {
  const { t } = useTranslation()
  const company = useQuery({
    queryKey: keys.company,
    queryFn: () => unwrap(api.GET('/company')),
  })
  useFresh(keys.company)
  return (
    <Page title={t('company.title')} text={t('company.text')}>
      <Section title={t('company.about')}>
        <Loaded query={company}>
          {(data) => (
            <CompanyForm
              key={`${data.name} ${data.timezone} ${data.push_texts}`}
              company={data}
            />
          )}
        </Loaded>
      </Section>
    </Page>
  )
}

function CompanyForm({ company }: { company: CompanySettings }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [name, setName] = useState(company.name)
  const [timezone, setTimezone] = useState(company.timezone)
  const [texts, setTexts] = useState(company.push_texts)
  const { busy, done, problem, wrong, run, touch } = useSubmit({
    fields: ['name', 'timezone'],
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(async () => {
      const changed = await unwrap(
        api.PATCH('/company', {
          body: { name: name.trim(), timezone, push_texts: texts },
        }),
      )
      client.setQueryData<Session>(
        keys.session,
        (session) => session && { ...session, company: changed },
      )
    })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={t('setup.company')}
          description={t('company.nameText')}
          required
          withAsterisk={false}
          maxLength={120}
          value={name}
          error={wrong.name}
          onChange={(event) => {
            touch()
            setName(event.currentTarget.value)
          }}
        />
        <TimezoneSelect
          description={t('company.timezoneText')}
          value={timezone}
          error={wrong.timezone}
          onChange={(value) => {
            touch()
            setTimezone(value)
          }}
        />
        <Switch
          label={t('company.pushTexts')}
          description={t('company.pushTextsText')}
          checked={texts}
          onChange={(event) => {
            touch()
            setTexts(event.currentTarget.checked)
          }}
        />
        <FormFooter
          busy={busy}
          saved={done}
          problem={problem}
          submit={t('common.save')}
        />
      </Stack>
    </form>
  )
}
