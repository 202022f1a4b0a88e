import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { keys } from '../api/keys'
import { number } from '../ui/format'
import { CheckChat } from './CheckChat'
import { FilePicker } from './FilePicker'
import { ImportDialog } from './ImportDialog'
import { ImportJob } from './ImportJob'
import type { ChatResult } from './imports'
import classes from './Imports.module.css'

/** ImportChat imports a chat that was exported from WhatsApp into one conversation. It can begin at a conversation or a contact. */
export default function ImportChat() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const client = useQueryClient()
  const { job, conversation, contact } = useSearch({
    from: '/contacts/import-chat',
  })
  const close = () => {
    if (conversation)
      void navigate({
        to: '/inbox/$view/$conversation',
        params: { view: 'open', conversation },
      })
    else if (contact)
      void navigate({ to: '/contacts/$contact', params: { contact } })
    else void navigate({ to: '/contacts' })
  }
  const onEnd = useCallback(
    ({ conversation: changed }: ChatResult) => {
      void client.invalidateQueries({ queryKey: keys.lists })
      if (!changed) return
      client.removeQueries({ queryKey: keys.timelines(changed) })
      void client.invalidateQueries({ queryKey: keys.conversation(changed) })
    },
    [client],
  )
  return (
    <ImportDialog
      kind="chat_import"
      title={t('imports.chat')}
      job={job}
      onJob={(id) =>
        void navigate({
          to: '/contacts/import-chat',
          search: (before) => ({ ...before, job: id }),
          replace: true,
        })
      }
      onClose={close}
      choose={(onFile) => (
        <>
          <FilePicker
            endings={['.txt', '.zip']}
            maxBytes={500 * 1024 ** 2}
            text={t('imports.dropChat')}
            hint={t('imports.chatHint')}
            wrongFile={t('imports.notChat')}
            onFile={onFile}
          />
          <p className={classes.below}>{t('imports.chatHow')}</p>
        </>
      )}
      check={(chosen, onOther, onStarted) => (
        <CheckChat
          key={chosen.id}
          chosen={chosen}
          conversation={conversation}
          contact={contact}
          onOther={onOther}
          onStarted={onStarted}
        />
      )}
      show={(id, onAgain) => (
        <ImportJob<ChatResult>
          id={id}
          onAgain={onAgain}
          onEnd={onEnd}
          summary={({ created, existing }) => (
            <p>
              {t('imports.chatResult', {
                count: created,
                shown: number(created),
              })}{' '}
              {existing > 0 &&
                t('imports.chatExisting', {
                  count: existing,
                  shown: number(existing),
                })}
            </p>
          )}
          next={(result) =>
            result?.conversation && (
              <Button
                renderRoot={(props) => (
                  <Link
                    to="/inbox/$view/$conversation"
                    params={{
                      view: 'open',
                      conversation: result.conversation ?? '',
                    }}
                    {...props}
                  />
                )}
              >
                {t('imports.openConversation')}
              </Button>
            )
          }
        />
      )}
    />
  )
}
