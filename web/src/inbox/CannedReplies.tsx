import { useTranslation } from 'react-i18next'
import { answer, api } from '../api/client'
import { useReplies } from '../api/queries'
import { useActions } from './actions'
import { Options } from './Options'

type Props = { filter: string; conversation: string; onChoose: (text: string, media: string | null, title: string) => void; onClose: () => void }

/** CannedReplies offers the replies whose shortcut or title fits what was typed after "/". */
export function CannedReplies({ filter, conversation, onChoose, onClose }: Props) {
  const { t } = useTranslation()
  const { attempt } = useActions()
  const replies = (useReplies().data ?? []).filter((one) => one.shortcut.startsWith(filter) || one.title.toLocaleLowerCase().includes(filter)).slice(0, 20)
  const choose = (id: string, title: string) =>
    attempt(async () => {
      const { text, media_id } = await answer(api.POST('/replies/{id}/render', { params: { path: { id } }, body: { conversation_id: conversation } }))
      onChoose(text, media_id, title)
    })
  return (
    <Options
      label={t('composer.canned')} none={t('composer.noCanned')} onClose={onClose}
      options={replies.map((one) => ({
        id: one.id,
        content: <><code>/{one.shortcut}</code><strong>{one.title}</strong><span>{one.text}</span></>,
        choose: () => void choose(one.id, one.title),
      }))}
    />
  )
}
