import { useDroppable } from '@dnd-kit/core'
import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { Fragment, useEffect, useRef, type KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { refusal, requestIdOf } from '../api/refusal'
import type { Board, Card, CardQuery, Stage } from '../api/types'
import { number } from '../ui/format'
import { Failure, Loading } from '../ui/states'
import { CardItem } from './CardItem'
import { StageHeader } from './StageHeader'
import { useBoardNames, useColumn } from './useBoard'
import type { Place } from './useDrag'
import classes from './Board.module.css'

/** Higher counts are shown as "10,000+". */
const most = 10_000

type Props = {
  board: Board
  stage: Stage
  count: number | undefined
  filters: CardQuery
  mayWrite: boolean
  drop: Place | null
  held: string | undefined
  onShown: (stage: string, cards: Card[]) => void
  onOpen: (id: string) => void
  onMove: (card: Card, stage: string) => void
  onNew: (stage: string) => void
  onKeyDown: (event: KeyboardEvent, card: Card) => void
  onBlur: () => void
}

/** Column is a stage with its cards. More are loaded before the last one is reached. */
export function Column({
  board,
  stage,
  count,
  filters,
  mayWrite,
  drop,
  held,
  onShown,
  onOpen,
  onMove,
  onNew,
  onKeyDown,
  onBlur,
}: Props) {
  const { t } = useTranslation()
  const names = useBoardNames()
  const { column, cards } = useColumn(board.id, stage, filters)
  const { setNodeRef } = useDroppable({ id: stage.id })
  const end = useRef<HTMLDivElement>(null)
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = column
  useEffect(() => onShown(stage.id, cards), [stage.id, cards, onShown])
  useEffect(() => {
    const mark = end.current
    if (!mark || !hasNextPage || isFetchingNextPage) return
    const watch = new IntersectionObserver(
      (entries) =>
        entries.some((one) => one.isIntersecting) && void fetchNextPage(),
      { rootMargin: '600px 0px' },
    )
    watch.observe(mark)
    return () => watch.disconnect()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])

  const shown = count ?? cards.length
  const size = shown >= most ? `${number(most)}+` : number(shown)
  const name = names.stage(board, stage)
  // The drop indicator counts as one of the other cards.
  let place = -1
  const line = <li aria-hidden className={classes.line} data-drop />
  return (
    <section
      ref={setNodeRef}
      aria-label={t('boards.stageName', { count: shown, size, stage: name })}
      className={classes.column}
      data-stage={stage.id}
      data-over={drop ? '' : undefined}
    >
      <StageHeader
        board={board}
        stage={stage}
        name={name}
        size={size}
        mayWrite={mayWrite}
      />
      <div className={classes.scroll}>
        {column.isPending ? (
          <Loading rows={3} height={72} />
        ) : column.isError ? (
          <Failure
            message={refusal(column.error, t)}
            requestId={requestIdOf(column.error)}
            onRetry={() => void column.refetch()}
          />
        ) : (
          <ul className={classes.cards} aria-label={name}>
            {cards.map((card) => {
              const moving = held === card.id
              if (!moving) place++
              return (
                <Fragment key={card.id}>
                  {drop && !moving && drop.index === place && line}
                  <CardItem
                    card={card}
                    board={board}
                    movable={mayWrite}
                    held={moving}
                    onOpen={onOpen}
                    onMove={onMove}
                    onKeyDown={onKeyDown}
                    onBlur={onBlur}
                  />
                </Fragment>
              )
            })}
            {drop && drop.index > place && line}
          </ul>
        )}
        {column.isSuccess && cards.length === 0 && !drop && (
          <p className={classes.none}>
            {Object.keys(filters).length > 0
              ? t('boards.noMatch')
              : t('boards.noCards')}
          </p>
        )}
        <div ref={end} />
      </div>
      {mayWrite && board.system === null && !board.archived && (
        <Button
          className={classes.add}
          variant="subtle"
          color="gray"
          size="xs"
          justify="flex-start"
          leftSection={<IconPlus size={15} />}
          onClick={() => onNew(stage.id)}
        >
          {t('boards.addCard')}
        </Button>
      )}
    </section>
  )
}
