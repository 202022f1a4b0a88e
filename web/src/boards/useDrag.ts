import type { DragEndEvent, DragMoveEvent, DragStartEvent } from '@dnd-kit/core'
import { useState } from 'react'
import type { Card } from '../api/types'

/** Place is a drop position: a stage and an index among its other cards. */
export type Place = { stage: string; index: number }

/** Lists returns the loaded cards of a stage as displayed. */
export type Lists = (stage: string) => Card[]

/** others returns the cards of a stage except one. */
export const others = (lists: Lists, stage: string, card: string) =>
  lists(stage).filter((one) => one.id !== card)

/** placeOf returns the position of a card. */
export function placeOf(lists: Lists, card: Card): Place {
  const index = lists(card.stage_id).findIndex((one) => one.id === card.id)
  return { stage: card.stage_id, index: Math.max(0, index) }
}

/** indexAt returns the number of cards in a column whose middle is above y. */
function indexAt(stage: string, card: string, height: number): number {
  const column = document.querySelector(`[data-stage="${stage}"]`)
  const items = [
    ...(column?.querySelectorAll<HTMLElement>('[data-card]') ?? []),
  ].filter((one) => one.dataset.card !== card)
  return items.filter((one) => {
    const { top, height: size } = one.getBoundingClientRect()
    return top + size / 2 < height
  }).length
}

/** useDrag tracks a card dragged with the mouse or a finger. */
export function useDrag(
  lists: Lists,
  onDrop: (card: Card, place: Place) => void,
) {
  const [card, setCard] = useState<Card | null>(null)
  const [place, setPlace] = useState<Place | null>(null)
  const over = ({
    active,
    over: target,
  }: DragMoveEvent | DragEndEvent): Place | null => {
    const rect = active.rect.current.translated
    if (!target || !rect) return null
    const stage = String(target.id)
    return {
      stage,
      index: indexAt(stage, String(active.id), rect.top + rect.height / 2),
    }
  }
  const end = () => {
    setCard(null)
    setPlace(null)
  }
  return {
    card,
    place,
    handlers: {
      onDragStart: ({ active }: DragStartEvent) =>
        setCard((active.data.current?.card as Card | undefined) ?? null),
      onDragMove: (event: DragMoveEvent) => {
        const next = over(event)
        setPlace((before) =>
          before?.stage === next?.stage && before?.index === next?.index
            ? before
            : next,
        )
      },
      onDragEnd: (event: DragEndEvent) => {
        const target = over(event)
        if (card && target) {
          const from = placeOf(lists, card)
          if (from.stage !== target.stage || from.index !== target.index)
            onDrop(card, target)
        }
        end()
      },
      onDragCancel: end,
    },
  }
}
