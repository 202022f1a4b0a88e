import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { keys } from '../api/keys'
import type { Attendance, Board, Stage } from '../api/types'
import { useAttempt } from '../api/useAttempt'
import type { Closing } from '../contact/closing'
import { announce } from '../ui/announce'
import type { Move } from './useMoves'

/**
 * useClosing asks for confirmation before a move to Done closes a case. request makes all other moves immediately. While asking is
 * set, the card stays in place: closing the case makes the server move it, and cancelling changes nothing.
 */
export function useClosing(board: Board, move: (next: Move) => Promise<void>) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const attempt = useAttempt()
  const [asking, setAsking] = useState<{
    attendance: Attendance
    stage: Stage
  } | null>(null)

  const request = async (next: Move): Promise<void> => {
    const { card, stage: to } = next
    const stage = board.stages.find((one) => one.id === to)
    const id = card.attendance
    if (
      board.system === null ||
      !id ||
      !stage ||
      stage.kind !== 'won' ||
      card.stage_id === to
    )
      return move(next)
    await attempt(async () => {
      const attendance = await unwrap(
        api.GET('/attendances/{id}', { params: { path: { id } } }),
      )
      if (attendance.status === 'open') setAsking({ attendance, stage })
      else await move(next)
    })
  }
  const close = async (closing: Closing): Promise<void> => {
    if (!asking) return
    const id = asking.attendance.conversation
    await unwrap(
      api.POST('/conversations/{id}/attendance/close', {
        params: { path: { id } },
        body: closing,
      }),
    )
    announce(t('done.closed'))
    await Promise.all(
      [
        keys.columns(board.id),
        keys.boardCounts(board.id),
        keys.conversation(id),
      ].map((queryKey) => client.invalidateQueries({ queryKey })),
    )
  }
  return { request, asking, close, cancel: () => setAsking(null) }
}
