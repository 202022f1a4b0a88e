import { Stack, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import type { OptOutSettings } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { FormFooter } from '../ui/FormFooter'
import { SectionForm } from '../ui/Layout'

/** OptOutForm edits the replies to customers who opt out or come back. */
export function OptOutForm({ settings }: { settings: OptOutSettings }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [confirmation, setConfirmation] = useState(settings.confirmation ?? '')
  const [welcomeBack, setWelcomeBack] = useState(settings.welcome_back ?? '')
  const { busy, done, problem, wrong, run, touch } = useSubmit({
    fields: ['confirmation', 'welcome_back'],
  })
  const submit = () =>
    void run(async () =>
      client.setQueryData(
        keys.optOut,
        await unwrap(
          api.PATCH('/company/opt-out', {
            body: {
              confirmation: confirmation.trim() || null,
              welcome_back: welcomeBack.trim() || null,
            },
          }),
        ),
      ),
    )
  const field = (
    label: string,
    value: string,
    error: string | undefined,
    set: (value: string) => void,
  ) => (
    <Textarea
      label={label}
      description={t('optOut.empty')}
      autosize
      minRows={2}
      maxLength={1024}
      value={value}
      error={error}
      onChange={(event) => {
        touch()
        set(event.currentTarget.value)
      }}
    />
  )
  return (
    <SectionForm
      title={t('optOut.title')}
      text={t('optOut.text')}
      onSubmit={submit}
    >
      <Stack gap="md">
        {field(
          t('optOut.confirmation'),
          confirmation,
          wrong.confirmation,
          setConfirmation,
        )}
        {field(
          t('optOut.welcomeBack'),
          welcomeBack,
          wrong.welcome_back,
          setWelcomeBack,
        )}
        <FormFooter
          busy={busy}
          saved={done}
          problem={problem}
          submit={t('optOut.save')}
        />
      </Stack>
    </SectionForm>
  )
}
