import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { Dialog } from '../ui/Dialog'
import { Empty, Loading } from '../ui/states'
import { useBoardActions } from './useBoardActions'
import classes from './Board.module.css'

/** ArchivedBoards lists archived boards and restores them. */
export function ArchivedBoards({
  mayWrite,
  onClose,
  onRestored,
}: {
  mayWrite: boolean
  onClose: () => void
  onRestored: (id: string) => void
}) {
  const { t } = useTranslation()
  const { change } = useBoardActions()
  const list = useQuery({
    queryKey: keys.archivedBoards,
    queryFn: () =>
      unwrap(
        api.GET('/kanban/boards', { params: { query: { archived: '1' } } }),
      ),
  })
  const restore = async (id: string) => {
    if (
      await change(
        () =>
          unwrap(
            api.PATCH('/kanban/boards/{id}', {
              params: { path: { id } },
              body: { archived: false },
            }),
          ),
        t('boards.boardRestored'),
      )
    )
      onRestored(id)
  }
  return (
    <Dialog title={t('boards.archivedBoards')} onClose={onClose}>
      {list.isPending ? (
        <Loading rows={2} />
      ) : (list.data ?? []).length === 0 ? (
        <Empty title={t('boards.noArchivedBoards')} />
      ) : (
        <ul className={classes.rows}>
          {(list.data ?? []).map((board) => (
            <li key={board.id} className={classes.rowItem}>
              <span>{board.name}</span>
              {mayWrite && (
                <Button
                  size="xs"
                  variant="default"
                  aria-label={t('boards.restoreNamed', { name: board.name })}
                  onClick={() => void restore(board.id)}
                >
                  {t('boards.restore')}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  )
}
