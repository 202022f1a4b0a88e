import { Button } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PrivateChannel } from '../api/types'
import { Dialog } from '../ui/Dialog'
import { Section } from '../ui/Layout'
import { Viewers } from './Viewers'
import rows from '../ui/rows.module.css'
import classes from './Settings.module.css'

/** PrivateElsewhere lists private numbers whose viewers the user manages without having access. */
export function PrivateElsewhere({ channels }: { channels: PrivateChannel[] }) {
  const { t } = useTranslation()
  const [editing, setEditing] = useState<PrivateChannel | null>(null)
  return (
    <Section title={t('channels.elsewhere')} text={t('channels.elsewhereText')}>
      <ul className={rows.rows} aria-label={t('channels.elsewhere')}>
        {channels.map((channel) => (
          <li key={channel.id} className={rows.row}>
            <span className={classes.icon} aria-hidden>
              <IconLock size={20} />
            </span>
            <div className={rows.main}>
              <strong>{channel.name}</strong>
              <span>
                {channel.viewers
                  .map((viewer) =>
                    viewer.pending
                      ? t('channels.viewerPending', { name: viewer.name })
                      : viewer.name,
                  )
                  .join(', ')}
              </span>
            </div>
            <Button
              variant="default"
              size="xs"
              onClick={() => setEditing(channel)}
            >
              {t('channels.viewers')}
            </Button>
          </li>
        ))}
      </ul>
      {editing && (
        <Dialog
          title={t('channels.viewersOf', { name: editing.name })}
          onClose={() => setEditing(null)}
        >
          <Viewers
            channel={editing.id}
            viewers={editing.viewers}
            onSaved={() => setEditing(null)}
          />
        </Dialog>
      )}
    </Section>
  )
}
