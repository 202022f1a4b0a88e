import { Alert, Button, Checkbox, Group, Stack, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import type { EventType, Webhook } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { Dialog } from '../ui/Dialog'

type Props = {
  webhook?: Webhook
  onSecret: (secret: string) => void
  onClose: () => void
}

/** WebhookDialog registers or edits a webhook. */
export function WebhookDialog({ webhook, onSecret, onClose }: Props) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const known =
    useQuery({
      queryKey: keys.webhookEvents,
      queryFn: async () =>
        (await unwrap(api.GET('/integrations/webhooks/events'))).data,
    }).data ?? []
  const [name, setName] = useState(webhook?.name ?? '')
  const [url, setUrl] = useState(webhook?.url ?? '')
  const [events, setEvents] = useState<EventType[]>(webhook?.events ?? [])
  const { busy, problem, wrong, run } = useSubmit({
    fields: ['name', 'url', 'events'],
  })
  const about = (event: { name: string; description: string }) =>
    t(`webhookEvent.${event.name.replaceAll('.', '_')}`, {
      defaultValue: event.description,
    })
  const save = async () => {
    const body = { name: name.trim(), url: url.trim(), events }
    const saved = await run(async () => {
      if (webhook)
        await unwrap(
          api.PATCH('/integrations/webhooks/{id}', {
            params: { path: { id: webhook.id } },
            body,
          }),
        )
      else
        onSecret(
          (await unwrap(api.POST('/integrations/webhooks', { body }))).secret ??
            '',
        )
      await client.invalidateQueries({ queryKey: keys.webhooks })
    })
    if (saved) onClose()
  }
  return (
    <Dialog
      title={webhook ? t('webhooks.edit') : t('webhooks.new')}
      size="lg"
      onClose={onClose}
      closeOnClickOutside={false}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <Stack gap="md">
          {problem && (
            <Alert color="red" variant="light">
              {problem}
            </Alert>
          )}
          <TextInput
            label={t('webhooks.name')}
            data-autofocus
            required
            withAsterisk={false}
            maxLength={120}
            value={name}
            error={wrong.name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label={t('webhooks.url')}
            description={t('webhooks.urlText')}
            type="url"
            required
            withAsterisk={false}
            maxLength={2048}
            placeholder="https://"
            value={url}
            error={wrong.url}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <Checkbox.Group
            label={t('webhooks.events')}
            error={wrong.events}
            value={events}
            onChange={(chosen) =>
              setEvents(
                known
                  .map((event) => event.name)
                  .filter((event) => chosen.includes(event)),
              )
            }
          >
            <Stack gap="sm" mt={8}>
              {known.map((event) => (
                <Checkbox
                  key={event.name}
                  value={event.name}
                  label={event.name}
                  description={about(event)}
                />
              ))}
            </Stack>
          </Checkbox.Group>
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('common.cancel')}
            </Button>
            <Button type="submit" loading={busy} disabled={events.length === 0}>
              {webhook ? t('common.save') : t('webhooks.register')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  )
}
