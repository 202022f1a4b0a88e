import { ActionIcon, Button } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { dropCard, putCard, refreshBoard } from '../api/cards'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { useMe } from '../api/queries'
import type { Board, Card } from '../api/types'
import { useAttempt } from '../api/useAttempt'
import { cardTitle } from '../contact/erased'
import { Dialog } from '../ui/Dialog'
import { dateAndTime } from '../ui/format'
import { Empty, Loading } from '../ui/states'
import { DeleteCard } from './DeleteCard'
import { useBoardNames } from './useBoard'
import classes from './Board.module.css'

/** ArchivedCards lists a board's archived cards and restores or deletes them. */
export function ArchivedCards({
  board,
  mayWrite,
  onClose,
}: {
  board: Board
  mayWrite: boolean
  onClose: () => void
}) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const attempt = useAttempt()
  const me = useMe().user.id
  const names = useBoardNames()
  const [deleting, setDeleting] = useState<Card | null>(null)
  const list = useInfiniteQuery({
    queryKey: keys.archivedCards(board.id),
    initialPageParam: null as string | null,
    queryFn: ({ pageParam }) =>
      unwrap(
        api.GET('/kanban/cards', {
          params: {
            query: {
              board_id: board.id,
              status: 'archived',
              limit: 30,
              ...(pageParam ? { cursor: pageParam } : {}),
            },
          },
        }),
      ),
    getNextPageParam: (page) => page.next_cursor ?? null,
  })
  const cards = (list.data?.pages ?? []).flatMap((page) => page.data)
  const stage = (card: Card) =>
    board.stages.find((one) => one.id === card.stage_id)
  const restore = (card: Card) =>
    attempt(async () => {
      putCard(
        client,
        await unwrap(
          api.PATCH('/kanban/cards/{id}', {
            params: { path: { id: card.id } },
            body: { status: 'open', version: card.version },
          }),
        ),
        me,
      )
      refreshBoard(client, board.id)
    }, t('boards.restored'))
  return (
    <Dialog title={t('boards.archivedCards')} size={560} onClose={onClose}>
      {list.isPending ? (
        <Loading rows={3} />
      ) : cards.length === 0 ? (
        <Empty title={t('boards.noArchivedCards')} />
      ) : (
        <ul className={classes.rows}>
          {cards.map((card) => {
            const at = stage(card)
            return (
              <li key={card.id} className={classes.rowItem}>
                <span>
                  {cardTitle(card, t)}
                  <small>
                    {[
                      at ? names.stage(board, at) : '',
                      dateAndTime(card.updated_at),
                    ]
                      .filter(Boolean)
                      .join(' · ')}
                  </small>
                </span>
                {mayWrite && (
                  <>
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={t('boards.restoreNamed', {
                        name: card.title,
                      })}
                      onClick={() => void restore(card)}
                    >
                      {t('boards.restore')}
                    </Button>
                    <ActionIcon
                      variant="subtle"
                      color="gray"
                      size={30}
                      aria-label={t('boards.deleteNamed', { name: card.title })}
                      onClick={() => setDeleting(card)}
                    >
                      <IconTrash size={16} />
                    </ActionIcon>
                  </>
                )}
              </li>
            )
          })}
        </ul>
      )}
      {list.hasNextPage && (
        <Button
          variant="subtle"
          size="xs"
          loading={list.isFetchingNextPage}
          onClick={() => void list.fetchNextPage()}
        >
          {t('common.more')}
        </Button>
      )}
      {deleting && (
        <DeleteCard
          card={deleting}
          onClose={() => setDeleting(null)}
          onDeleted={() => {
            setDeleting(null)
            dropCard(client, deleting.id)
            refreshBoard(client, board.id)
          }}
        />
      )}
    </Dialog>
  )
}
