import { Button, CloseButton, Loader } from '@mantine/core'
import { IconAlertCircle, IconCheck } from '@tabler/icons-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { refusal } from '../api/refusal'
import { announce } from '../ui/announce'
import { removeDownload, useDownloads, type Download } from '../ui/downloads'
import { fileSize, number } from '../ui/format'
import classes from './Downloads.module.css'

/** Downloads shows the files that are being saved, in the corner of every screen. */
export default function Downloads() {
  const { t } = useTranslation()
  const all = useDownloads()
  const running = all.some((one) => one.state === 'running')
  useEffect(() => {
    if (!running) return
    const stay = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', stay)
    return () => removeEventListener('beforeunload', stay)
  }, [running])
  if (all.length === 0) return null
  return (
    <section aria-label={t('downloads.title')} className={classes.downloads}>
      {all.map((one) => (
        <One key={one.id} download={one} />
      ))}
    </section>
  )
}

const keepSaved = 8000

function One({ download }: { download: Download }) {
  const { t } = useTranslation()
  const { id, file, rows, bytes, state, error, cancel, again } = download
  const amount = `${t('downloads.rows', { count: rows, shown: number(rows) })} · ${fileSize(bytes)}`
  useEffect(() => {
    if (state !== 'saved') return
    announce(`${t('downloads.saved')} ${file}`)
    const timer = setTimeout(() => removeDownload(id), keepSaved)
    return () => clearTimeout(timer)
  }, [state, id, file, t])
  return (
    <div className={classes.download} role="group" aria-label={file}>
      {state === 'running' && <Loader size={18} aria-hidden />}
      {state === 'saved' && (
        <IconCheck size={18} aria-hidden className={classes.done} />
      )}
      {state === 'failed' && (
        <IconAlertCircle size={18} aria-hidden className={classes.wrong} />
      )}
      <div className={classes.text}>
        <strong>{file}</strong>
        {state === 'failed' ? (
          <span role="alert" className={classes.wrong}>
            {refusal(error, t)}
          </span>
        ) : (
          <span>
            {state === 'saved' ? `${t('downloads.saved')} ` : ''}
            {amount}
          </span>
        )}
      </div>
      {state === 'running' && (
        <Button size="xs" variant="default" onClick={cancel}>
          {t('common.cancel')}
        </Button>
      )}
      {state === 'failed' && (
        <Button size="xs" variant="default" onClick={again}>
          {t('states.tryAgain')}
        </Button>
      )}
      {state !== 'running' && (
        <CloseButton
          size="sm"
          aria-label={t('common.dismiss')}
          onClick={() => removeDownload(id)}
        />
      )}
    </div>
  )
}
