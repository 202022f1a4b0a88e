import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { useMe, useReplies } from '../../api/queries'
import type { Conversation } from '../../api/types'
import { useActions } from '../actions'
import { Options } from './Options'

type Props = {
  filter: string
  conversation: Conversation
  onChoose: (text: string, media: string | null, title: string) => void
  onClose: () => void
}

/** CannedReplies suggests the replies whose shortcut or title matches the text after "/", without those of other departments. */
export function CannedReplies({
  filter,
  conversation,
  onChoose,
  onClose,
}: Props) {
  const { t } = useTranslation()
  const { attempt } = useActions()
  const { sectors } = useMe().user
  const meant = (ids: string[]) =>
    ids.length === 0 ||
    ids.some(
      (id) =>
        id === conversation.sector ||
        sectors.some((sector) => sector.id === id),
    )
  const replies = (useReplies().data ?? [])
    .filter((one) => meant(one.sector_ids))
    .filter(
      (one) =>
        one.shortcut.startsWith(filter) ||
        one.title.toLocaleLowerCase().includes(filter),
    )
    .slice(0, 20)
  const choose = (id: string, title: string) =>
    attempt(async () => {
      const { text, media_id } = await unwrap(
        api.POST('/replies/{id}/render', {
          params: { path: { id } },
          body: { conversation_id: conversation.id },
        }),
      )
      onChoose(text, media_id, title)
    })
  return (
    <Options
      label={t('composer.canned')}
      none={t('composer.noCanned')}
      onClose={onClose}
      options={replies.map((one) => ({
        id: one.id,
        content: (
          <>
            <code>/{one.shortcut}</code>
            <strong>{one.title}</strong>
            <span>{one.text}</span>
          </>
        ),
        choose: () => void choose(one.id, one.title),
      }))}
    />
  )
}
