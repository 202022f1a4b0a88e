import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Failure, Loading } from '../ui/states'
import { refusal, requestIdOf } from './refusal'

type Query<T> = Pick<
  UseQueryResult<T>,
  'data' | 'isPending' | 'error' | 'refetch'
>

/** Loaded renders a query's data, or its loading or error state. */
export function Loaded<T>({
  query,
  rows = 3,
  children,
}: {
  query: Query<T>
  rows?: number
  children: (data: T) => ReactNode
}) {
  const { t } = useTranslation()
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (query.isPending) return <Loading rows={rows} />
  return (
    <Failure
      message={refusal(query.error, t)}
      requestId={requestIdOf(query.error)}
      onRetry={() => void query.refetch()}
    />
  )
}
