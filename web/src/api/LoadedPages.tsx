import { Button } from '@mantine/core'
import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure, Loading } from '../ui/states'
import { refusal, requestIdOf } from './refusal'

type Props = {
  list: UseInfiniteQueryResult
  isEmpty: boolean
  empty: ReactNode
  rows: number
  height?: number
  /** className is that of the button. */
  className?: string
  children: ReactNode
}

/** LoadedPages renders a list that is loaded page by page with a button that loads more, or its loading, empty or error state. */
export function LoadedPages({
  list,
  isEmpty,
  empty,
  rows,
  height,
  className,
  children,
}: Props) {
  const { t } = useTranslation()
  const more = () => void list.fetchNextPage()
  if (list.isPending) return <Loading rows={rows} height={height} />
  return (
    <>
      {!isEmpty ? children : !list.isError && empty}
      {list.isError ? (
        <Failure
          message={refusal(list.error, t)}
          requestId={requestIdOf(list.error)}
          onRetry={isEmpty ? () => void list.refetch() : more}
        />
      ) : (
        list.hasNextPage && (
          <Button
            className={className}
            variant="default"
            fullWidth
            mt="md"
            loading={list.isFetchingNextPage}
            onClick={more}
          >
            {t('common.more')}
          </Button>
        )
      )}
    </>
  )
}
