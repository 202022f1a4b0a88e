import { Alert, Badge, Button, Group, Stack } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { Confirm } from '../api/Confirm'
import { keys } from '../api/keys'
import type { Delivery, Webhook } from '../api/types'
import { useSubmit } from '../api/useSubmit'
import { Section } from '../ui/Layout'
import { attemptText } from './attempt'
import { WebhookDeliveries } from './WebhookDeliveries'
import { WebhookDialog } from './WebhookDialog'
import classes from './Integrations.module.css'

/** failuresToDisable is the number of consecutive failures after which the server disables a webhook. */
const failuresToDisable = 10

type Props = { webhook: Webhook; onSecret: (secret: string) => void }

/** WebhookItem is one webhook: its state, a test and its deliveries. */
export function WebhookItem({ webhook, onSecret }: Props) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const path = { params: { path: { id: webhook.id } } }
  const [open, setOpen] = useState<'edit' | 'delete' | 'secret' | 'off' | null>(
    null,
  )
  const [shown, setShown] = useState(false)
  const [test, setTest] = useState<Delivery>()
  const { busy, problem, run } = useSubmit()
  const changed = () => client.invalidateQueries({ queryKey: keys.webhooks })
  const close = () => setOpen(null)
  const sendTest = () =>
    run(async () => {
      setTest(undefined)
      setTest(await unwrap(api.POST('/integrations/webhooks/{id}/test', path)))
      void client.invalidateQueries({ queryKey: keys.deliveries(webhook.id) })
    })
  const turn = async (body: { active: boolean; replay?: boolean }) => {
    await unwrap(api.PATCH('/integrations/webhooks/{id}', { ...path, body }))
    await changed()
  }
  const disabled =
    !webhook.active && webhook.consecutive_failures >= failuresToDisable
  const attempt = test?.attempts[0]
  return (
    <Section
      title={webhook.name}
      text={<span className={classes.url}>{webhook.url}</span>}
      action={
        <Badge
          variant="light"
          color={webhook.active ? 'green' : 'red'}
          tt="none"
        >
          {webhook.active ? t('webhooks.active') : t('webhooks.inactive')}
        </Badge>
      }
    >
      <Stack gap="md">
        {!webhook.active && (
          <Alert
            color="red"
            variant="light"
            title={
              disabled
                ? t('webhooks.disabled', { n: webhook.consecutive_failures })
                : t('webhooks.off')
            }
          >
            <Stack gap="sm" align="flex-start">
              <span>{t('webhooks.disabledText')}</span>
              <Group gap="xs">
                <Button
                  size="xs"
                  loading={busy}
                  onClick={() => void run(() => turn({ active: true }))}
                >
                  {t('webhooks.reactivate')}
                </Button>
                <Button
                  size="xs"
                  variant="default"
                  loading={busy}
                  onClick={() =>
                    void run(() => turn({ active: true, replay: true }))
                  }
                >
                  {t('webhooks.replay')}
                </Button>
              </Group>
            </Stack>
          </Alert>
        )}
        <ul className={classes.events} aria-label={t('webhooks.events')}>
          {webhook.events.map((event) => (
            <li key={event}>{event}</li>
          ))}
        </ul>
        {problem && (
          <Alert color="red" variant="light">
            {problem}
          </Alert>
        )}
        {test && attempt && (
          <Alert
            variant="light"
            color={test.status === 'delivered' ? 'green' : 'red'}
            role="status"
            title={
              test.status === 'delivered'
                ? t('webhooks.testArrived')
                : t('webhooks.testFailed')
            }
          >
            {attemptText(attempt, t)}
          </Alert>
        )}
        <Group gap="xs">
          <Button
            variant="default"
            size="xs"
            loading={busy}
            onClick={() => void sendTest()}
          >
            {t('webhooks.test')}
          </Button>
          <Button
            variant="default"
            size="xs"
            aria-expanded={shown}
            onClick={() => setShown(!shown)}
          >
            {shown
              ? t('webhooks.hideDeliveries')
              : t('webhooks.showDeliveries')}
          </Button>
          <Button variant="default" size="xs" onClick={() => setOpen('edit')}>
            {t('webhooks.editShort')}
          </Button>
          <Button variant="default" size="xs" onClick={() => setOpen('secret')}>
            {t('webhooks.newSecret')}
          </Button>
          {webhook.active && (
            <Button variant="default" size="xs" onClick={() => setOpen('off')}>
              {t('webhooks.turnOff')}
            </Button>
          )}
          <Button
            variant="default"
            size="xs"
            c="var(--red)"
            onClick={() => setOpen('delete')}
          >
            {t('inbox.delete')}
          </Button>
        </Group>
        {shown && <WebhookDeliveries webhook={webhook} />}
      </Stack>
      {open === 'edit' && (
        <WebhookDialog webhook={webhook} onSecret={onSecret} onClose={close} />
      )}
      {open === 'off' && (
        <Confirm
          title={t('webhooks.turnOffTitle', { name: webhook.name })}
          text={t('webhooks.disabledText')}
          action={t('webhooks.turnOff')}
          onClose={close}
          task={() => turn({ active: false })}
        />
      )}
      {open === 'secret' && (
        <Confirm
          title={t('webhooks.secretTitle')}
          text={t('webhooks.secretText')}
          action={t('webhooks.newSecret')}
          onClose={close}
          task={async () =>
            onSecret(
              (
                await unwrap(
                  api.POST('/integrations/webhooks/{id}/rotate-secret', path),
                )
              ).secret ?? '',
            )
          }
        />
      )}
      {open === 'delete' && (
        <Confirm
          title={t('webhooks.deleteTitle', { name: webhook.name })}
          text={t('webhooks.deleteText')}
          action={t('inbox.delete')}
          onClose={close}
          task={async () => {
            await unwrap(api.DELETE('/integrations/webhooks/{id}', path))
            await changed()
          }}
        />
      )}
    </Section>
  )
}
