import { Button } from '@mantine/core'
import { IconMessagePlus } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { putConversation } from '../api/cache'
import { useChannels, useMe, useNames } from '../api/queries'
import type { Contact } from '../api/types'
import { useAttempt } from '../api/useAttempt'
import { useNumberName } from '../api/useNumberName'
import { ActionMenu } from '../ui/ActionMenu'
import { toast } from '../ui/toast'
import classes from './Contacts.module.css'

/** StartConversation opens the conversation with a contact, creating it if needed. If the company has several numbers, a connected one is preselected. */
export function StartConversation({ contact }: { contact: Contact }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const navigate = useNavigate()
  const attempt = useAttempt()
  const me = useMe()
  const names = useNames()
  const numberName = useNumberName()
  const channels = useChannels().data ?? []
  const [busy, setBusy] = useState(false)
  if (!me.scopes.includes('conversations:write')) return null
  const start = async (channel_id: string) => {
    setBusy(true)
    await attempt(async () => {
      const opened = await unwrap(
        api.POST('/conversations', {
          body: { channel_id, contact_id: contact.id },
        }),
      )
      putConversation(client, opened, me.user.id)
      if (opened.assignee && opened.assignee !== me.user.id)
        toast(
          t('new.responsible', { name: names.person(opened.assignee) ?? '' }),
        )
      void navigate({
        to: '/inbox/$view/$conversation',
        params: { view: 'open', conversation: opened.id },
      })
    })
    setBusy(false)
  }
  const [only] = channels
  const connected = channels.some((one) => one.status === 'connected')
  const look = {
    className: classes.start,
    mt: 'sm',
    size: 'xs',
    loading: busy,
    disabled: !connected || contact.blocked,
    leftSection: <IconMessagePlus size={16} />,
  }
  if (only && !connected) {
    return (
      <>
        <Button {...look}>{t('contacts.start')}</Button>
        <p className={classes.reason}>{t('refusal.channel_disconnected')}</p>
      </>
    )
  }
  if (channels.length < 2)
    return (
      <Button {...look} onClick={() => only && void start(only.id)}>
        {t('contacts.start')}
      </Button>
    )
  return (
    <ActionMenu
      button={<Button {...look}>{t('contacts.start')}</Button>}
      title={t('contacts.from')}
      actions={channels.map((one) => ({
        key: one.id,
        label: numberName(one),
        disabled: one.status !== 'connected',
        onClick: () => void start(one.id),
      }))}
    />
  )
}
