import { Button, Group } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../api/client'
import { Confirm } from '../api/Confirm'
import { keys } from '../api/keys'
import type { Channel } from '../api/types'
import { Section } from '../ui/Layout'
import { toast } from '../ui/toast'

/** ArchiveNumber archives a number after a confirmation. */
export function ArchiveNumber({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [asking, setAsking] = useState(false)
  const archive = async () => {
    await unwrap(
      api.DELETE('/channels/{id}', { params: { path: { id: channel.id } } }),
    )
    toast(t('channels.archived'))
    await navigate({ to: '/settings/$', params: { _splat: 'channels' } })
    await Promise.all(
      [keys.channels, keys.privateChannels].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    )
  }
  return (
    <Section
      title={t('channels.archiveSection')}
      text={t('channels.archiveSectionText')}
    >
      <Group>
        <Button variant="default" onClick={() => setAsking(true)}>
          {t('channels.archive')}
        </Button>
      </Group>
      {asking && (
        <Confirm
          title={t('channels.archiveTitle', { name: channel.name })}
          text={t('channels.archiveText')}
          action={t('channels.archive')}
          onClose={() => setAsking(false)}
          task={archive}
        />
      )}
    </Section>
  )
}
