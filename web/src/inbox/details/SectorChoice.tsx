import { NativeSelect } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { putConversation } from '../../api/cache'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { useMe, useSectors } from '../../api/queries'
import type { Conversation } from '../../api/types'
import { useAttempt } from '../../api/useAttempt'

/** SectorChoice moves an open case to another department without changing the assignee, unlike a transfer. */
export function SectorChoice({ conversation }: { conversation: Conversation }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const attempt = useAttempt()
  const me = useMe().user.id
  const sectors = useSectors().data ?? []
  const choose = async (sector: string) => {
    putConversation(client, { ...conversation, sector: sector || null }, me) // optimistic update
    const done = await attempt(async () => {
      const changed = await unwrap(
        api.PUT('/conversations/{id}/sector', {
          params: { path: { id: conversation.id } },
          body: { sector_id: sector || null },
        }),
      )
      putConversation(client, changed, me)
      for (const queryKey of [
        keys.attendances(conversation.id),
        keys.assignments(conversation.id),
        keys.counts,
      ])
        void client.invalidateQueries({ queryKey })
    }, t('details.saved'))
    if (!done) putConversation(client, conversation, me)
  }
  return (
    <NativeSelect
      size="xs"
      aria-label={t('filters.sector')}
      value={conversation.sector ?? ''}
      data={[
        { value: '', label: t('details.none') },
        ...sectors.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      onChange={(event) => void choose(event.currentTarget.value)}
    />
  )
}
