import { Button, Table } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { refusal, requestIdOf } from '../api/refusal'
import type { Webhook } from '../api/types'
import { Empty, Failure, Loading } from '../ui/states'
import { DeliveryRow } from './DeliveryRow'
import classes from './Integrations.module.css'

/** WebhookDeliveries is a webhook's delivery log. It is polled while a delivery is pending. */
export function WebhookDeliveries({ webhook }: { webhook: Webhook }) {
  const { t } = useTranslation()
  const log = useInfiniteQuery({
    queryKey: keys.deliveries(webhook.id),
    staleTime: 0,
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET('/integrations/webhooks/{id}/deliveries', {
          params: {
            path: { id: webhook.id },
            query: { limit: 20, ...(pageParam ? { cursor: pageParam } : {}) },
          },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ({ state }) =>
      state.data?.pages.some((page) =>
        page.data.some((one) => one.status === 'pending'),
      )
        ? 2000
        : false,
  })
  const rows = log.data?.pages.flatMap((page) => page.data) ?? []
  if (log.isPending) return <Loading rows={3} />
  if (log.isError)
    return (
      <Failure
        message={refusal(log.error, t)}
        requestId={requestIdOf(log.error)}
        onRetry={() => void log.refetch()}
      />
    )
  if (rows.length === 0) return <Empty title={t('deliveries.none')} />
  return (
    <div>
      <div
        className={classes.table}
        tabIndex={0}
        role="region"
        aria-label={t('deliveries.log', { name: webhook.name })}
      >
        <Table aria-label={t('deliveries.title')} verticalSpacing={6} miw={520}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('deliveries.event')}</Table.Th>
              <Table.Th>{t('deliveries.time')}</Table.Th>
              <Table.Th>{t('deliveries.status')}</Table.Th>
              <Table.Th>
                <span className="visually-hidden">
                  {t('deliveries.actions')}
                </span>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((delivery) => (
              <DeliveryRow
                key={delivery.id}
                webhook={webhook}
                delivery={delivery}
              />
            ))}
          </Table.Tbody>
        </Table>
      </div>
      {log.hasNextPage && (
        <Button
          variant="subtle"
          size="xs"
          mt="sm"
          loading={log.isFetchingNextPage}
          onClick={() => void log.fetchNextPage()}
        >
          {t('common.more')}
        </Button>
      )}
    </div>
  )
}
