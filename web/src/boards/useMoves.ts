import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { putCard } from '../api/cards'
import { api, Failure, unwrap } from '../api/client'
import { keys } from '../api/keys'
import { useMe } from '../api/queries'
import { refusal } from '../api/refusal'
import type { Board, Card } from '../api/types'
import { announce } from '../ui/announce'
import { toast } from '../ui/toast'
import { useBoardNames } from './useBoard'

export type Move = { card: Card; stage: string; before: string | null }

/** Overtaken is a move that came too late because a colleague moved or archived the card. */
export type Overtaken = { move: Move; text: string }

const pause = (milliseconds: number) =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

/** send moves a card. A request without a response is retried with the same idempotency key. */
async function send(card: Card, move: Move): Promise<Card> {
  const key = crypto.randomUUID()
  const body = {
    stage_id: move.stage,
    version: card.version,
    ...(move.before ? { before_card_id: move.before } : {}),
  }
  for (let wait = 1000; ; wait *= 2) {
    try {
      return await unwrap(
        api.POST('/kanban/cards/{id}/move', {
          params: { path: { id: card.id }, header: { 'Idempotency-Key': key } },
          body,
        }),
      )
    } catch (error) {
      if (!(error instanceof Failure) || !error.temporary || wait > 4000)
        throw error
      await pause(wait)
    }
  }
}

/** useMoves moves cards optimistically. Moves of the same card are sent one after the other. */
export function useMoves(board: Board) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const me = useMe().user.id
  const names = useBoardNames()
  const [overtaken, setOvertaken] = useState<Overtaken | null>(null)
  const running = useRef(new Map<string, Promise<void>>())
  const made = useRef(new Map<string, Card>())
  const stageName = (id: string) => {
    const stage = board.stages.find((one) => one.id === id)
    return stage ? names.stage(board, stage) : ''
  }

  /** conflictText says who moved the card, or that it was archived. */
  const conflictText = (error: Failure, now: Card) => {
    if (now.status === 'archived') return t('boards.archivedMeanwhile')
    const name = error.details.find((one) => one.code === 'moved')?.params.name
    const stage = stageName(now.stage_id)
    return typeof name === 'string'
      ? t('boards.movedBy', { name, stage })
      : t('boards.movedTo', { stage })
  }
  const fetchCard = (id: string) =>
    unwrap(api.GET('/kanban/cards/{id}', { params: { path: { id } } }))

  /** place sends a move. If the card to insert before is gone, the card moves to the end. */
  const place = async (card: Card, move: Move) => {
    const moved = await send(card, move).catch((error: unknown) => {
      if (
        move.before &&
        error instanceof Failure &&
        error.details.some((one) => one.field === 'body.before_card_id')
      )
        return send(card, { ...move, before: null })
      throw error
    })
    made.current.set(moved.id, moved)
    putCard(client, moved, me)
  }

  const perform = async (move: Move): Promise<void> => {
    // A move is based on the version the user saw or on their own previous move, never on updates that arrived since.
    const own = made.current.get(move.card.id)
    const seen = own && own.version > move.card.version ? own : move.card
    try {
      await place(seen, move)
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'version_conflict')
        throw error
      const now = await fetchCard(move.card.id)
      if (now.stage_id !== seen.stage_id || now.status === 'archived') {
        putCard(client, now, me)
        setOvertaken({
          move: { ...move, card: now },
          text: conflictText(error, now),
        })
        return
      }
      await place(now, move) // only other fields changed, so the move is still valid
    }
    announce(
      t('boards.moved', {
        title: move.card.title,
        stage: stageName(move.stage),
      }),
    )
  }

  const move = (next: Move): Promise<void> => {
    setOvertaken(null)
    const stage = board.stages.find((one) => one.id === next.stage)
    const status =
      stage?.kind === 'won'
        ? 'completed'
        : stage?.kind === 'lost'
          ? 'lost'
          : 'open'
    putCard(
      client,
      { ...next.card, stage_id: next.stage, status },
      me,
      next.before,
    )
    const earlier = running.current.get(next.card.id) ?? Promise.resolve()
    const task = earlier
      .then(() => perform(next))
      .catch((error: unknown) => {
        toast(refusal(error, t), 'red')
        client.removeQueries({
          queryKey: keys.card(next.card.id),
          type: 'inactive',
        })
        return client.invalidateQueries({ queryKey: keys.columns(board.id) })
      })
      .finally(
        () =>
          void client.invalidateQueries({
            queryKey: keys.boardCounts(board.id),
          }),
      )
    running.current.set(next.card.id, task)
    return task
  }
  return { move, overtaken, forget: useCallback(() => setOvertaken(null), []) }
}
