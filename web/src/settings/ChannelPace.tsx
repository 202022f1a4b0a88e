import '@mantine/core/styles/NumberInput.layer.css'
import { NumberInput, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import type { Channel } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { FormFooter } from '../ui/FormFooter'
import { SectionForm } from '../ui/Layout'

/** ChannelPace edits how many messages a linked number sends in a minute at most. */
export function ChannelPace({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const [pace, setPace] = useState(channel.messages_per_minute)
  const { busy, done, problem, wrong, run, touch } = useSubmit({
    fields: ['messages_per_minute'],
  })
  const submit = () =>
    run(async () => {
      await unwrap(
        api.PATCH('/channels/{id}', {
          params: { path: { id: channel.id } },
          body: { messages_per_minute: pace ?? undefined },
        }),
      )
      await client.invalidateQueries({ queryKey: keys.channels })
    })
  return (
    <SectionForm title={t('link.sending')} onSubmit={() => void submit()}>
      <Stack gap="md">
        <NumberInput
          label={t('link.pace')}
          description={t('link.paceText')}
          required
          withAsterisk={false}
          min={1}
          max={60}
          allowDecimal={false}
          allowNegative={false}
          value={pace ?? ''}
          error={wrong.messages_per_minute}
          onChange={(value) => {
            touch()
            setPace(value === '' ? null : Number(value))
          }}
        />
        <FormFooter
          busy={busy}
          saved={done}
          problem={problem}
          submit={t('common.save')}
          disabled={pace === null}
        />
      </Stack>
    </SectionForm>
  )
}
