import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { useMe } from '../api/queries'
import type { Board, CardQuery, Stage } from '../api/types'

const statuses = { open: 'open', won: 'completed', lost: 'lost' } as const

/** useColumn loads the cards of a stage page by page. */
export function useColumn(board: string, stage: Stage, filters: CardQuery) {
  const { timezone } = useMe().company
  const query = useMemo(
    (): CardQuery => ({
      ...filters,
      stage_id: stage.id,
      status: statuses[stage.kind],
    }),
    [filters, stage.id, stage.kind],
  )
  const column = useInfiniteQuery({
    queryKey: keys.column(board, query),
    initialPageParam: null as string | null,
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        api.GET('/kanban/cards', {
          params: {
            query: {
              ...query,
              board_id: board,
              sort: 'position',
              tz: timezone,
              limit: 30,
              ...(pageParam ? { cursor: pageParam } : {}),
            },
          },
          signal,
        }),
      ),
    getNextPageParam: (page) => page.next_cursor ?? null,
  })
  const cards = useMemo(
    () => (column.data?.pages ?? []).flatMap((page) => page.data),
    [column.data],
  )
  return { column, cards }
}

/** useStageCounts returns the number of cards per stage, loaded or not. */
export function useStageCounts(board: string): Map<string, number> {
  const counts = useQuery({
    queryKey: keys.boardCounts(board),
    queryFn: () =>
      unwrap(
        api.GET('/kanban/boards/{id}/counts', {
          params: { path: { id: board } },
        }),
      ),
  }).data
  return useMemo(
    () => new Map((counts?.data ?? []).map((one) => [one.stage, one.cards])),
    [counts],
  )
}

/** useBoardNames returns the names of boards and stages. Those of the Cases board are translated. */
export function useBoardNames() {
  const { t } = useTranslation()
  const stages: Record<string, string> = {
    Waiting: t('boards.system.waiting'),
    'In progress': t('boards.system.progress'),
    Done: t('boards.system.done'),
  }
  return {
    board: (board: Board) =>
      board.system && board.name === 'Attendances'
        ? t('boards.system.name')
        : board.name,
    stage: (board: Board, stage: Stage) =>
      board.system ? (stages[stage.name] ?? stage.name) : stage.name,
  }
}
