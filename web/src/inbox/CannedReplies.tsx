import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { answer, api } from '../api/client'
import { useReplies } from '../api/queries'
import { useActions } from './actions'
import classes from './Composer.module.css'

type Props = { filter: string; conversation: string; onChoose: (text: string) => void; onClose: () => void }

/** CannedReplies offers the replies whose shortcut or title fits what was typed after "/". */
export function CannedReplies({ filter, conversation, onChoose, onClose }: Props) {
  const { t } = useTranslation()
  const { attempt } = useActions()
  const replies = (useReplies().data ?? []).filter((one) => one.shortcut.startsWith(filter) || one.title.toLocaleLowerCase().includes(filter)).slice(0, 20)
  const [at, setAt] = useState(0)
  const current = replies[Math.min(at, replies.length - 1)]
  const choose = (id: string) =>
    attempt(async () => onChoose((await answer(api.POST('/replies/{id}/render', { params: { path: { id } }, body: { conversation_id: conversation } }))).text))
  useEffect(() => {
    const key = (event: globalThis.KeyboardEvent) => {
      if (event.key === 'ArrowDown') setAt((n) => Math.min(n + 1, replies.length - 1))
      else if (event.key === 'ArrowUp') setAt((n) => Math.max(n - 1, 0))
      else if ((event.key === 'Enter' || event.key === 'Tab') && current) void choose(current.id)
      else if (event.key === 'Escape') onClose()
      else return
      event.preventDefault()
      event.stopPropagation()
    }
    addEventListener('keydown', key, true)
    return () => removeEventListener('keydown', key, true)
  })
  return (
    <ul role="listbox" aria-label={t('composer.canned')} className={classes.options}>
      {replies.length === 0 && <li role="option" aria-selected={false} aria-disabled className={classes.option}>{t('composer.noCanned')}</li>}
      {replies.map((reply) => (
        <li key={reply.id} role="option" aria-selected={reply === current} className={classes.option} onClick={() => void choose(reply.id)}>
          <code>/{reply.shortcut}</code>
          <strong>{reply.title}</strong>
          <span>{reply.text}</span>
        </li>
      ))}
    </ul>
  )
}
