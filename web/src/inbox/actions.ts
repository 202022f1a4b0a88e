import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { putConversation } from '../api/cache'
import { keys } from '../api/keys'
import { useMe } from '../api/queries'
import type { BulkAction, Conversation } from '../api/types'
import { useAttempt } from '../api/useAttempt'
import type { Closing } from '../contact/closing'
import { toast } from '../ui/toast'

/** useActions returns the actions on conversations. Each shows errors as toasts and reports whether it succeeded. */
export function useActions() {
  const client = useQueryClient()
  const { t } = useTranslation()
  const me = useMe().user.id

  const attempt = useAttempt()
  const known = (id: string) =>
    client.getQueryData<Conversation>(keys.conversation(id))
  /** refetch fetches the conversation, because not every response contains it. */
  const refetch = async (id: string) =>
    putConversation(
      client,
      await unwrap(
        api.GET('/conversations/{id}', { params: { path: { id } } }),
      ),
      me,
    )
  const change = (conversation: Conversation, fields: Partial<Conversation>) =>
    putConversation(
      client,
      { ...(known(conversation.id) ?? conversation), ...fields },
      me,
    )

  const post =
    (
      call: (params: {
        path: { id: string }
      }) => Promise<{ response: Response; data?: unknown; error?: unknown }>,
      done?: string,
    ) =>
    (conversation: Conversation) =>
      attempt(async () => {
        await unwrap(call({ path: { id: conversation.id } }))
        await refetch(conversation.id)
        void client.invalidateQueries({ queryKey: keys.counts })
      }, done)

  const reopen = post(
    (params) => api.POST('/conversations/{id}/attendance/reopen', { params }),
    t('done.reopened'),
  )

  return {
    attempt,
    take: post(
      (params) => api.POST('/conversations/{id}/take', { params }),
      t('done.taken'),
    ),
    unread: (conversation: Conversation) => {
      change(conversation, { unread: true })
      return post(
        (params) => api.POST('/conversations/{id}/unread', { params }),
        t('done.unread'),
      )(conversation)
    },
    read: (conversation: Conversation) => {
      change(conversation, { unread: false, unread_count: 0 })
      // If offline, the conversation stays unread on the server until it is opened again.
      return unwrap(
        api.POST('/conversations/{id}/read', {
          params: { path: { id: conversation.id } },
        }),
      )
        .then(() => client.invalidateQueries({ queryKey: keys.counts }))
        .then(
          () => true,
          () => false,
        )
    },
    snooze: (conversation: Conversation, until: string | null) =>
      post(
        (params) =>
          api.POST('/conversations/{id}/snooze', { params, body: { until } }),
        until ? t('done.snoozed') : undefined,
      )(conversation),
    patch: (
      conversation: Conversation,
      body: {
        pinned?: boolean
        muted?: boolean
        archived?: boolean
        cases?: boolean
        label_ids?: string[]
      },
    ) => {
      change(conversation, body)
      return post((params) =>
        api.PATCH('/conversations/{id}', { params, body }),
      )(conversation)
    },
    bots: (conversation: Conversation, until: Date | null) =>
      attempt(
        async () =>
          putConversation(
            client,
            await unwrap(
              api.PUT('/conversations/{id}/bot', {
                params: { path: { id: conversation.id } },
                body: { paused_until: until?.toISOString() ?? null },
              }),
            ),
            me,
          ),
        t(until ? 'bots.pausedNow' : 'bots.resumed'),
      ),
    transfer: (
      conversation: Conversation,
      body: { user_id?: string | null; sector_id?: string; reason?: string },
    ) =>
      post(
        (params) => api.POST('/conversations/{id}/transfer', { params, body }),
        t('done.transferred'),
      )(conversation),
    /** close closes the case and offers to undo that. onUndone is called after it was undone. It throws what the server refuses. */
    close: async (
      conversation: Conversation,
      closing: Closing,
      onUndone?: () => void,
    ) => {
      await unwrap(
        api.POST('/conversations/{id}/attendance/close', {
          params: { path: { id: conversation.id } },
          body: closing,
        }),
      )
      toast(t('done.closed'), 'plain', {
        label: t('done.undo'),
        run: () =>
          void reopen(conversation).then((done) => done && onUndone?.()),
      })
      await refetch(conversation.id).catch(() => undefined) // the live stream tells it too
      void client.invalidateQueries({ queryKey: keys.counts })
    },
    bulk: async (
      ids: string[],
      action: BulkAction,
      onProgress?: (done: number) => void,
    ): Promise<number> => {
      let failed = 0
      let code: string | undefined
      await attempt(async () => {
        for (let from = 0; from < ids.length; from += 100) {
          const part = ids.slice(from, from + 100)
          const { results } = await unwrap(
            api.POST('/conversations/bulk', { body: { ids: part, ...action } }),
          )
          const refused = results.filter((result) => result.status >= 400)
          failed += refused.length
          code ??= refused[0]?.code
          onProgress?.(from + part.length)
        }
        await client.invalidateQueries({ queryKey: keys.lists })
        await client.invalidateQueries({ queryKey: ['conversation'] })
        void client.invalidateQueries({ queryKey: keys.counts })
        const text =
          failed > 0
            ? [
                t('selection.partly', { done: ids.length - failed, failed }),
                code && t(`refusal.${code}`, { defaultValue: '' }),
              ]
                .filter(Boolean)
                .join(' ')
            : t('selection.done', { count: ids.length })
        toast(text)
      })
      return failed
    },
  }
}
