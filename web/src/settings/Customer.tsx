import { Button, Group, Stack, TextInput } from '@mantine/core'
import { IconMessages } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import type { Channel } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { FormFooter } from '../ui/FormFooter'
import { SectionForm } from '../ui/Layout'

/** Customer is a form that sends a message to a test number as a customer. */
export function Customer({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const [from, setFrom] = useState('+55 11 91234-5678')
  const [name, setName] = useState('')
  const [text, setText] = useState('')
  const { busy, done, problem, wrong, run, touch } = useSubmit({
    fields: ['from', 'name', 'text'],
  })
  const send = async () => {
    const body = {
      from: from.trim(),
      ...(name.trim() ? { name: name.trim() } : {}),
      text: text.trim(),
    }
    if (
      await run(() =>
        unwrap(
          api.POST('/channels/{id}/simulate', {
            params: { path: { id: channel.id } },
            body,
          }),
        ),
      )
    )
      setText('')
  }
  return (
    <SectionForm
      title={t('channels.write')}
      text={t('channels.writeText', { name: channel.name })}
      onSubmit={() => void send()}
    >
      <Stack gap="sm">
        <Group grow align="flex-start">
          <TextInput
            label={t('channels.phone')}
            required
            withAsterisk={false}
            maxLength={64}
            value={from}
            error={wrong.from}
            onChange={(event) => setFrom(event.currentTarget.value)}
          />
          <TextInput
            label={t('channels.customer')}
            maxLength={120}
            value={name}
            error={wrong.name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
        </Group>
        <TextInput
          label={t('channels.message')}
          required
          withAsterisk={false}
          maxLength={4096}
          value={text}
          error={wrong.text}
          onChange={(event) => {
            touch()
            setText(event.currentTarget.value)
          }}
        />
        <FormFooter
          busy={busy}
          saved={done}
          savedText={t('channels.sent')}
          problem={problem}
          submit={t('channels.send')}
        >
          {done && (
            <Button
              component={Link}
              to="/"
              variant="default"
              leftSection={<IconMessages size={16} />}
            >
              {t('channels.inbox')}
            </Button>
          )}
        </FormFooter>
      </Stack>
    </SectionForm>
  )
}
