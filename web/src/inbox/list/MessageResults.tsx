import { useInfiniteQuery } from '@tanstack/react-query'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Empty, Failure, Loading } from '../../ui/states'
import { dayAfter, MessageFilters, type MessageFilter } from './MessageFilters'
import { MessageHits, messagesOptions } from './MessageHits'
import { refusal } from '../refusal'

/** MessageResults lists all messages that contain a text, with filters. view is the view in which conversations open. */
export function MessageResults({ text, view }: { text: string; view: string }) {
  const { t } = useTranslation()
  const [filter, setFilter] = useState<MessageFilter>({})
  const query = { ...filter, ...(filter.to ? { to: dayAfter(filter.to) } : {}) }
  const found = useInfiniteQuery(messagesOptions(text, query))
  const hits = found.data?.pages.flatMap((page) => page.data)
  return (
    <>
      <MessageFilters
        filter={filter}
        onChange={(change) => setFilter((before) => ({ ...before, ...change }))}
      />
      {found.isError ? (
        <Failure
          message={refusal(found.error, t)}
          onRetry={() => void found.refetch()}
        />
      ) : !hits ? (
        <Loading />
      ) : hits.length === 0 ? (
        <Empty title={t('list.nothingFound')}>
          {Object.values(filter).some(Boolean) && (
            <Button variant="default" onClick={() => setFilter({})}>
              {t('messageSearch.clear')}
            </Button>
          )}
        </Empty>
      ) : (
        <MessageHits hits={hits} text={text} view={view}>
          {found.hasNextPage && (
            <li>
              <Button
                fullWidth
                variant="subtle"
                loading={found.isFetchingNextPage}
                onClick={() => void found.fetchNextPage()}
              >
                {t('common.more')}
              </Button>
            </li>
          )}
        </MessageHits>
      )}
    </>
  )
}
