import { IconList } from '@tabler/icons-react'
import type { Interactive } from '../../api/types'
import { RichText } from '../../ui/RichText'
import classes from './Reception.module.css'

/** Pressing handles a press unless the trial has ended. Options may move while a response is pending. */
export type Pressing = {
  waiting: boolean
  onPress: ((id: string) => void) | undefined
}

/** Offered is a message with buttons or an open list. A button must not turn into another option while someone is about to press it. */
export function Offered({
  offer,
  waiting,
  onPress,
}: { offer: Interactive } & Pressing) {
  const options =
    offer.buttons ??
    offer.list?.sections.flatMap((section) => section.rows) ??
    []
  return (
    <div className={classes.bubble} data-kind={offer.list ? 'list' : 'buttons'}>
      <p>
        <RichText text={offer.body} />
      </p>
      {offer.list && (
        <p className={classes.open}>
          <IconList size={16} aria-hidden /> {offer.list.button}
        </p>
      )}
      <ul>
        {options.map(({ id, title }) => (
          <li key={`${id} ${title}`}>
            <button
              type="button"
              disabled={!onPress}
              aria-disabled={waiting || undefined}
              onClick={() => !waiting && onPress?.(id)}
            >
              {title}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
