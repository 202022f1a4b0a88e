import { Button } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { upload } from '../../api/upload'
import { position } from '../../ui/format'
import { refusal } from '../refusal'
import classes from './Composer.module.css'

const formats = ['audio/ogg;codecs=opus', 'audio/webm;codecs=opus', 'audio/mp4']

/** VoiceRecorder records mono audio at 24 kbit/s, small enough for WhatsApp to show it as a voice message. */
export function VoiceRecorder({
  onSend,
  onClose,
}: {
  onSend: (media: string, voice: boolean) => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  const recorder = useRef<MediaRecorder>(undefined)
  const chunks = useRef<Blob[]>([])
  const [seconds, setSeconds] = useState(0)
  const [recorded, setRecorded] = useState<Blob | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  useEffect(() => {
    let ended = false
    let stream: MediaStream | undefined
    let timer: ReturnType<typeof setInterval> | undefined
    navigator.mediaDevices
      .getUserMedia({ audio: { channelCount: 1 } })
      .then((opened) => {
        stream = opened
        if (ended) return opened.getTracks().forEach((track) => track.stop())
        const mimeType = formats.find((format) =>
          MediaRecorder.isTypeSupported(format),
        )
        const started = new MediaRecorder(opened, {
          mimeType,
          audioBitsPerSecond: 24_000,
        })
        started.ondataavailable = (event) => chunks.current.push(event.data)
        started.onstop = () => {
          opened.getTracks().forEach((track) => track.stop())
          setRecorded(new Blob(chunks.current, { type: started.mimeType }))
        }
        started.start()
        recorder.current = started
        timer = setInterval(
          () => started.state === 'recording' && setSeconds((n) => n + 1),
          1000,
        )
      })
      .catch(() => setProblem(t('voice.denied')))
    return () => {
      ended = true
      clearInterval(timer)
      stream?.getTracks().forEach((track) => track.stop())
    }
  }, [t])
  const send = async (blob: Blob) => {
    setBusy(true)
    try {
      const extension = blob.type.includes('ogg')
        ? 'ogg'
        : blob.type.includes('mp4')
          ? 'm4a'
          : 'webm'
      const media = await upload(
        blob,
        `voice.${extension}`,
        () => undefined,
        new AbortController().signal,
      )
      // WhatsApp accepts only Ogg as a voice message. The server converts WebM.
      onSend(media.id, media.mime_type.startsWith('audio/ogg'))
      onClose()
    } catch (error) {
      setProblem(refusal(error, t))
      setBusy(false)
    }
  }
  return (
    <div className={classes.recorder}>
      {!recorded && !problem && <span className={classes.dot} />}
      <output aria-label={t('voice.timer')}>{position(seconds)}</output>
      {problem && (
        <span className={classes.problem} role="alert">
          {problem}
        </span>
      )}
      <Button variant="default" onClick={onClose}>
        {t('voice.discard')}
      </Button>
      {!recorded && !problem && (
        <Button variant="default" onClick={() => recorder.current?.stop()}>
          {t('voice.stop')}
        </Button>
      )}
      {recorded && (
        <Button loading={busy} onClick={() => void send(recorded)}>
          {t('voice.send')}
        </Button>
      )}
    </div>
  )
}
