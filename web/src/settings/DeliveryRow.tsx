import { Badge, Button, Group, Table } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { refusal } from '../api/refusal'
import type { Delivery, Webhook } from '../api/types'
import { useAttempt } from '../api/useAttempt'
import { dateAndTime } from '../ui/format'
import { Loading } from '../ui/states'
import { attemptText } from './attempt'
import classes from './Integrations.module.css'

const colours = {
  pending: 'yellow',
  delivered: 'green',
  failed: 'red',
} as const

/** DeliveryRow is one delivery; expanded, it shows every attempt and the body. */
export function DeliveryRow({
  webhook,
  delivery,
}: {
  webhook: Webhook
  delivery: Delivery
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const attempt = useAttempt()
  const [open, setOpen] = useState(false)
  const again = async () => {
    await attempt(() =>
      unwrap(
        api.POST(
          '/integrations/webhooks/{id}/deliveries/{delivery_id}/redeliver',
          { params: { path: { id: webhook.id, delivery_id: delivery.id } } },
        ),
      ),
    )
    await client.invalidateQueries({ queryKey: keys.deliveries(webhook.id) })
  }
  return (
    <>
      <Table.Tr>
        <Table.Td>{delivery.event}</Table.Td>
        <Table.Td>{dateAndTime(delivery.created_at)}</Table.Td>
        <Table.Td>
          <Badge variant="light" color={colours[delivery.status]} tt="none">
            {t(`deliveries.state.${delivery.status}`)}
          </Badge>
        </Table.Td>
        <Table.Td>
          <Group gap={4} justify="flex-end" wrap="nowrap">
            <Button
              variant="subtle"
              size="compact-sm"
              aria-expanded={open}
              onClick={() => setOpen(!open)}
            >
              {t('deliveries.details')}
            </Button>
            <Button
              variant="subtle"
              size="compact-sm"
              disabled={!webhook.active}
              onClick={() => void again()}
            >
              {t('deliveries.again')}
            </Button>
          </Group>
        </Table.Td>
      </Table.Tr>
      {open && (
        <Table.Tr className={classes.more}>
          <Table.Td colSpan={4}>
            <Opened webhook={webhook} delivery={delivery} />
          </Table.Td>
        </Table.Tr>
      )}
    </>
  )
}

/** indented formats JSON for display. */
function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}

function Opened({
  webhook,
  delivery,
}: {
  webhook: Webhook
  delivery: Delivery
}) {
  const { t } = useTranslation()
  const path = { id: webhook.id, delivery_id: delivery.id }
  const whole = useQuery({
    queryKey: keys.delivery(delivery.id),
    queryFn: () =>
      unwrap(
        api.GET('/integrations/webhooks/{id}/deliveries/{delivery_id}', {
          params: { path },
        }),
      ),
  })
  return (
    <div className={classes.opened}>
      <ol className={classes.attempts} aria-label={t('deliveries.attempts')}>
        {delivery.attempts.map((attempt, index) => (
          <li key={attempt.at + String(index)}>
            <strong>{index + 1}.</strong>
            <span>{dateAndTime(attempt.at)}</span>
            <span>{attemptText(attempt, t)}</span>
          </li>
        ))}
        {delivery.next_attempt_at && (
          <li>
            {t('deliveries.next', {
              time: dateAndTime(delivery.next_attempt_at),
            })}
          </li>
        )}
      </ol>
      {whole.isPending && <Loading rows={1} />}
      {whole.isError && refusal(whole.error, t)}
      {whole.data &&
        (whole.data.body === null ? (
          t('deliveries.noBody')
        ) : (
          <pre
            className={classes.body}
            tabIndex={0}
            aria-label={t('deliveries.body')}
            role="region"
          >
            {indented(whole.data.body)}
          </pre>
        ))}
    </div>
  )
}
