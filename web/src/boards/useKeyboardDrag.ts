import { useEffect, useState, type KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import type { Board, Card } from '../api/types'
import { announce } from '../ui/announce'
import { useBoardNames } from './useBoard'
import { others, placeOf, type Lists, type Place } from './useDrag'

/**
 * useKeyboardDrag moves a card with the keyboard: Space picks it up, the arrow keys move it, Space or Enter drops it and
 * Escape cancels. Every step is announced.
 */
export function useKeyboardDrag(
  board: Board,
  lists: Lists,
  onDrop: (card: Card, place: Place) => void,
) {
  const { t } = useTranslation()
  const names = useBoardNames()
  const [held, setHeld] = useState<{ card: Card; place: Place } | null>(null)
  const name = (id: string) => {
    const stage = board.stages.find((one) => one.id === id)
    return stage ? names.stage(board, stage) : ''
  }
  const say = (place: Place, card: Card) =>
    announce(
      t('boards.drag.over', {
        stage: name(place.stage),
        position: place.index + 1,
        total: others(lists, place.stage, card.id).length + 1,
      }),
    )

  // Keep the drop position in view.
  useEffect(() => {
    if (held)
      document
        .querySelector('[data-drop]')
        ?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [held])

  const step = (
    key: string,
    { card, place }: { card: Card; place: Place },
  ): Place | null => {
    const at = board.stages.findIndex((one) => one.id === place.stage)
    const size = (stage: string) => others(lists, stage, card.id).length
    if (key === 'ArrowUp')
      return { ...place, index: Math.max(0, place.index - 1) }
    if (key === 'ArrowDown')
      return { ...place, index: Math.min(size(place.stage), place.index + 1) }
    const next =
      key === 'ArrowLeft'
        ? board.stages[at - 1]
        : key === 'ArrowRight'
          ? board.stages[at + 1]
          : undefined
    return next
      ? { stage: next.id, index: Math.min(place.index, size(next.id)) }
      : key.startsWith('Arrow')
        ? place
        : null
  }
  const onKeyDown = (event: KeyboardEvent, card: Card) => {
    if (!held) {
      if (event.key !== ' ') return
      event.preventDefault()
      const place = placeOf(lists, card)
      setHeld({ card, place })
      announce(
        t('boards.drag.start', {
          title: card.title,
          stage: name(place.stage),
          position: place.index + 1,
          total: lists(place.stage).length,
        }),
      )
      return
    }
    const next = step(event.key, held)
    if (next) {
      event.preventDefault()
      setHeld({ ...held, place: next })
      say(next, held.card)
    } else if (event.key === ' ' || event.key === 'Enter') {
      event.preventDefault()
      drop()
    } else if (event.key === 'Escape') {
      event.preventDefault()
      event.stopPropagation()
      cancel()
    }
  }
  const drop = () => {
    if (!held) return
    const from = placeOf(lists, held.card)
    setHeld(null)
    if (from.stage !== held.place.stage || from.index !== held.place.index)
      onDrop(held.card, held.place)
    else announce(t('boards.drag.cancelled', { title: held.card.title }))
  }
  const cancel = () => {
    if (!held) return
    setHeld(null)
    announce(t('boards.drag.cancelled', { title: held.card.title }))
  }
  return { held, onKeyDown, cancel }
}
