import { Alert, Progress } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { Channel } from '../api/types'
import { Section } from '../ui/Layout'
import { channelText } from './channelText'
import { useConnection } from './useConnection'
import classes from './Settings.module.css'

const tones = {
  requested: 'gray',
  running: 'gray',
  done: 'green',
  declined: 'yellow',
  failed: 'red',
} as const

/** ImportSection shows the import of contacts and messages from the WhatsApp Business app, if the number is used there. */
export function ImportSection({ channel }: { channel: Channel }) {
  const { t } = useTranslation()
  const status = useConnection(channel.id).data?.import
  if (!status) return null
  const { state, progress, reason } = status
  return (
    <Section title={t('import.title')} text={t('import.text')}>
      {state === 'running' && (
        <Progress
          value={progress}
          mb="md"
          aria-label={t('import.progress', { n: progress })}
        />
      )}
      <Alert
        color={tones[state]}
        variant="light"
        role="status"
        title={
          state === 'running'
            ? t('import.progress', { n: progress })
            : t(`import.state.${state}`)
        }
      >
        {reason && (
          <p className={classes.alertText}>{channelText(reason, t)}</p>
        )}
        <p className={classes.alertText}>{t(`import.what.${state}`)}</p>
      </Alert>
    </Section>
  )
}
