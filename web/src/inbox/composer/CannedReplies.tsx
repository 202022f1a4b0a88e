import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { useMe, useReplies } from '../../api/queries'
import type { Conversation } from '../../api/types'
import { useActions } from '../actions'
import { Options } from './Options'

/** Rendered is a canned reply with its variables filled in. */
export type Rendered = {
  text: string
  media_id: string | null
  title: string
}

type Props = {
  filter: string
  conversation: Conversation
  /** onChoose is called at once; the server fills in the variables. The promise resolves to null if that failed. */
  onChoose: (rendering: Promise<Rendered | null>) => void
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
  const { data, isPending } = useReplies()
  const replies = (data ?? [])
    .filter((one) => meant(one.sector_ids))
    .filter(
      (one) =>
        one.shortcut.startsWith(filter) ||
        one.title.toLocaleLowerCase().includes(filter),
    )
    .slice(0, 20)
  const render = async (id: string, title: string) => {
    let rendered: Rendered | null = null
    await attempt(async () => {
      const { text, media_id } = await unwrap(
        api.POST('/replies/{id}/render', {
          params: { path: { id } },
          body: { conversation_id: conversation.id },
        }),
      )
      rendered = { text, media_id, title }
    })
    return rendered
  }
  return (
    <Options
      label={t('composer.canned')}
      none={t('composer.noCanned')}
      loading={isPending}
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
        choose: () => onChoose(render(one.id, one.title)),
      }))}
    />
  )
}
