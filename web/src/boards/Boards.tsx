import { Button, Tabs } from '@mantine/core'
import { IconLayoutKanban, IconPlus } from '@tabler/icons-react'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { saveCsv } from '../api/csv'
import { useBoards, useMe } from '../api/queries'
import { refusal, requestIdOf } from '../api/refusal'
import type { Board } from '../api/types'
import { dayKey } from '../ui/format'
import { personal } from '../ui/page'
import { Empty, Failure, Loading } from '../ui/states'
import { usePhone } from '../ui/usePhone'
import { BoardMenu } from './BoardMenu'
import { BoardView } from './BoardView'
import { NewBoardDialog } from './NewBoardDialog'
import { filtersOf, type BoardSearch } from './search'
import { useBoardNames } from './useBoard'
import classes from './Boards.module.css'

const lastKey = (person: string) => personal('board', person)

/** firstBoard returns the last opened board, else the team's first one, else the Cases board. */
const firstBoard = (boards: Board[], person: string) =>
  boards.find((one) => one.id === localStorage.getItem(lastKey(person))) ??
  boards.find((one) => one.system === null) ??
  boards[0]

/** Boards has a tab per board; the URL names the open one. */
export default function Boards() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { board: id } = useParams({ strict: false })
  const search: BoardSearch = useSearch({ strict: false })
  const me = useMe()
  const mayWrite = me.scopes.includes('write')
  const names = useBoardNames()
  const phone = usePhone()
  const list = useBoards()
  const [creating, setCreating] = useState(false)
  const boards = list.data ?? []
  const board = boards.find((one) => one.id === id)
  const show = (board: string) =>
    void navigate({ to: '/boards/$board', params: { board } })
  const first =
    list.isSuccess && !board ? firstBoard(boards, me.user.id)?.id : undefined
  useEffect(() => {
    // Archived boards have no tab; a link to one opens an active board.
    if (first)
      void navigate({
        to: '/boards/$board',
        params: { board: first },
        replace: true,
      })
  }, [first, navigate])
  useEffect(() => {
    if (board) localStorage.setItem(lastKey(me.user.id), board.id)
  }, [board, me.user.id])

  if (list.isPending) return <Loading rows={5} />
  if (list.isError)
    return (
      <Failure
        message={refusal(list.error, t)}
        requestId={requestIdOf(list.error)}
        onRetry={() => void list.refetch()}
      />
    )
  return (
    <div className={classes.boards}>
      <h1 className="visually-hidden">{t('boards.title')}</h1>
      {board ? (
        <Tabs
          value={board.id}
          onChange={(value) => value && show(value)}
          keepMounted={false}
          className={classes.tabs}
          classNames={{
            list: classes.list,
            tab: classes.tab,
            panel: classes.panel,
          }}
        >
          <div className={classes.bar}>
            <Tabs.List aria-label={t('boards.title')}>
              {boards.map((one) => (
                <Tabs.Tab key={one.id} value={one.id}>
                  {names.board(one)}
                </Tabs.Tab>
              ))}
            </Tabs.List>
            {mayWrite && !phone && (
              <Button
                className={classes.newBoard}
                variant="subtle"
                color="gray"
                size="xs"
                leftSection={<IconPlus size={15} />}
                onClick={() => setCreating(true)}
              >
                {t('boards.new')}
              </Button>
            )}
            <BoardMenu
              key={board.id}
              board={board}
              mayWrite={mayWrite}
              onSave={() =>
                void saveCsv(
                  '/kanban/cards',
                  {
                    ...filtersOf(search),
                    board_id: board.id,
                    status: 'all',
                    tz: me.company.timezone,
                  },
                  `cards-${dayKey(new Date())}.csv`,
                )
              }
              onOpen={show}
              onNew={() => setCreating(true)}
            />
          </div>
          <Tabs.Panel value={board.id}>
            <BoardView
              key={board.id}
              board={board}
              search={search}
              mayWrite={mayWrite}
            />
          </Tabs.Panel>
        </Tabs>
      ) : boards.length === 0 ? (
        <Empty icon={<IconLayoutKanban size={28} />} title={t('boards.none')}>
          {mayWrite && (
            <Button variant="default" onClick={() => setCreating(true)}>
              {t('boards.new')}
            </Button>
          )}
        </Empty>
      ) : null}
      {creating && (
        <NewBoardDialog onClose={() => setCreating(false)} onOpen={show} />
      )}
    </div>
  )
}
