import { Stack, TextInput } from '@mantine/core'
import { useEffect, useRef, useState, type FormEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import type { Channel } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { FormFooter } from '../ui/FormFooter'
import { typedPhone, typedSoFar } from '../ui/typedPhone'

/** PairByPhone asks WhatsApp for a code to type on the phone. The code follows with the state of the link. */
export function PairByPhone({
  channel,
  onAsked,
}: {
  channel: Channel
  onAsked: () => void
}) {
  const { t } = useTranslation()
  const [text, setText] = useState(channel.phone ?? '')
  const { busy, problem, wrong, run } = useSubmit({ fields: ['phone'] })
  // The link may fail before the request returns, and the next attempt may have begun.
  const shown = useRef(false)
  useEffect(() => {
    shown.current = true
    return () => {
      shown.current = false
    }
  }, [])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void run(async () => {
      await unwrap(
        api.POST('/channels/{id}/link', {
          params: { path: { id: channel.id } },
          body: { phone: typedPhone(text) ?? text },
        }),
      )
      if (shown.current) onAsked()
    })
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={t('link.phone')}
          type="tel"
          inputMode="tel"
          autoComplete="off"
          autoFocus
          required
          withAsterisk={false}
          maxLength={64}
          value={text}
          error={wrong.phone}
          onChange={(event) =>
            setText(typedSoFar(event.currentTarget.value, text))
          }
        />
        <FormFooter busy={busy} problem={problem} submit={t('link.ask')} />
      </Stack>
    </form>
  )
}
