import { useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  useContext,
  useEffect,
  useMemo,
  useSyncExternalStore,
  type ReactNode,
} from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { keys } from '../../api/keys'
import { putEntry, putMessage } from '../../api/cache'
import { useMe } from '../../api/queries'
import type { Conversation, Member } from '../../api/types'
import { announce } from '../../ui/announce'
import { personal } from '../../ui/page'
import { noteKey, ownDrafts, readDraft, saveDraft } from './drafts'
import { Outbox, type Item } from './outbox'
import { refusal } from '../refusal'
import { useDraftsElsewhere } from './useServerDraft'

const Context = createContext<Outbox | null>(null)

/** OutboxProvider sends messages from every page of the app. It is held while another user is signed in. */
export function OutboxProvider({
  session,
  held,
  children,
}: {
  session: number
  held: boolean
  children: ReactNode
}) {
  const client = useQueryClient()
  const { t } = useTranslation()
  const me = useMe()
  ownDrafts(me.user.id)
  const outbox = useMemo(
    () =>
      new Outbox({
        name: personal('outbox', me.user.id),
        deliver: async ({ kind, conversation, body, mentions = [] }) => {
          const params = { path: { id: conversation } }
          if (kind === 'note') {
            const note = await unwrap(
              api.POST('/conversations/{id}/notes', {
                params,
                body: {
                  client_id: body.client_id,
                  text: body.text ?? '',
                  mentions,
                },
              }),
            )
            putEntry(client, conversation, {
              kind: 'note',
              id: note.id,
              at: note.created_at,
              note,
            })
          } else {
            putMessage(
              client,
              await unwrap(
                api.POST('/conversations/{id}/messages', { params, body }),
              ),
              true,
            )
          }
        },
        refused: ({ kind, conversation, body, preview }, failure) => {
          const known = client.getQueryData<Conversation>(
            keys.conversation(conversation),
          )
          const assignee = known?.assignee
          const closed = failure.code === 'service_window_closed'
          if (closed && known?.window_expires_at)
            client.setQueryData(
              keys.closedWindow(conversation),
              known.window_expires_at,
            )
          // What this browser knows of the window or the number is outdated.
          if (closed || failure.code === 'no_reopen_template') {
            void client.invalidateQueries({
              queryKey: keys.conversation(conversation),
            })
            void client.invalidateQueries({ queryKey: keys.channels })
          }
          const returned = (body.text || body.media_id) && !body.interactive
          const reason =
            closed && returned
              ? t('composer.closedMeanwhile')
              : refusal(
                  failure,
                  t,
                  client
                    .getQueryData<Member[]>(keys.team)
                    ?.find((one) => one.id === assignee)?.name,
                )
          // An internal note must never end up in the reply field.
          const field = kind === 'note' ? noteKey(conversation) : conversation
          const { text: typed = '', files = [] } = readDraft(field) ?? {}
          if (body.media_id)
            saveDraft(field, {
              text: typed,
              files: [
                ...files,
                {
                  media: body.media_id,
                  name: preview ?? t('kind.document'),
                  caption: body.text ?? '',
                  voice: body.voice ?? false,
                },
              ],
              refusal: reason,
            })
          else
            saveDraft(field, {
              text: [body.text ?? body.interactive?.body ?? '', typed]
                .filter(Boolean)
                .join('\n'),
              refusal: reason,
            })
          announce(reason)
        },
      }),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- one outbox per person; the texts are read when needed
    [client, me.user.id],
  )
  useEffect(() => {
    const wake = () => outbox.wake()
    const warn = (event: BeforeUnloadEvent) => {
      if (outbox.losing()) event.preventDefault()
    }
    addEventListener('online', wake)
    addEventListener('beforeunload', warn)
    const timer = setTimeout(() => void outbox.load()) // after the first render
    return () => {
      clearTimeout(timer)
      removeEventListener('online', wake)
      removeEventListener('beforeunload', warn)
    }
  }, [outbox])
  useEffect(() => outbox.wake(), [outbox, session]) // retries what failed without a session
  useEffect(() => {
    if (!held) return
    outbox.hold()
    return () => outbox.resume()
  }, [outbox, held])
  useDraftsElsewhere(me.user.id)
  return <Context.Provider value={outbox}>{children}</Context.Provider>
}

function useContextOutbox(): Outbox {
  const outbox = useContext(Context)
  if (!outbox) throw new Error('no outbox')
  return outbox
}

/** useUnsent returns the outbox, the number of pending items, whether this browser cannot store them, and whether the server's disk is full. */
export function useUnsent(): {
  outbox: Outbox
  count: number
  unsafe: boolean
  serverFull: boolean
} {
  const outbox = useContextOutbox()
  const count = useSyncExternalStore(outbox.watch, () => outbox.all().length)
  return {
    outbox,
    count,
    unsafe: useSyncExternalStore(outbox.watch, outbox.unsafe),
    serverFull: useSyncExternalStore(outbox.watch, outbox.serverFull),
  }
}

/** useOutbox returns the outbox and the pending items of one conversation. */
export function useOutbox(conversation: string): {
  outbox: Outbox
  waiting: Item[]
} {
  const outbox = useContextOutbox()
  const all = useSyncExternalStore(outbox.watch, outbox.all)
  return {
    outbox,
    waiting: useMemo(
      () => all.filter((item) => item.conversation === conversation),
      [all, conversation],
    ),
  }
}
