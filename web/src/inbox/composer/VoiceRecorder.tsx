import { ActionIcon, Button } from '@mantine/core'
import {
  IconHourglass,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
  IconPlayerStopFilled,
  IconSend2,
  IconTrash,
} from '@tabler/icons-react'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { upload } from '../../api/upload'
import { position } from '../../ui/format'
import { usePhone } from '../../ui/usePhone'
import { refusal } from '../refusal'
import { useRecorder } from './useRecorder'
import { resampled, Waveform } from './Waveform'
import classes from './Voice.module.css'

type Props = {
  /** Whether the message waits for the customer's answer. */
  holding: boolean
  onSend: (media: string, voice: boolean) => void
  onClose: () => void
}

/** nameOf returns a file name with the extension of a recording's format. */
const nameOf = (type: string) =>
  `voice.${type.includes('ogg') ? 'ogg' : type.includes('mp4') ? 'm4a' : 'webm'}`

/** VoiceRecorder records a voice message, plays it and sends it. */
export function VoiceRecorder({ holding, onSend, onClose }: Props) {
  const { t } = useTranslation()
  const phone = usePhone()
  const { seconds, levels, recorded, denied, stop } = useRecorder()
  const [failure, setFailure] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const problem = denied ? t('voice.denied') : failure
  const send = async (blob: Blob) => {
    setBusy(true)
    try {
      const media = await upload(
        blob,
        nameOf(blob.type),
        () => undefined,
        new AbortController().signal,
      )
      // WhatsApp accepts only Ogg as a voice message. The server converts WebM.
      onSend(media.id, media.mime_type.startsWith('audio/ogg'))
      onClose()
    } catch (error) {
      setFailure(refusal(error, t))
      setBusy(false)
    }
  }
  /** button is a word on a desktop and an icon on a phone. */
  const button = (
    label: string,
    icon: ReactNode,
    onClick: () => void,
    main: boolean,
  ) =>
    phone ? (
      <ActionIcon
        size={44}
        radius={22}
        variant={main ? 'filled' : 'default'}
        aria-label={label}
        loading={busy}
        autoFocus
        key={label}
        onClick={onClick}
      >
        {icon}
      </ActionIcon>
    ) : (
      <Button
        variant={main ? 'filled' : 'default'}
        loading={busy}
        autoFocus
        key={label}
        onClick={onClick}
      >
        {label}
      </Button>
    )
  return (
    <div className={classes.recorder}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={phone ? 44 : 36}
        aria-label={t('voice.discard')}
        title={t('voice.discard')}
        onClick={onClose}
      >
        <IconTrash size={19} />
      </ActionIcon>
      {recorded ? (
        <Playback blob={recorded} seconds={seconds} levels={levels} />
      ) : (
        <>
          {!problem && <span className={classes.dot} />}
          <output aria-label={t('voice.timer')}>{position(seconds)}</output>
          <div className={classes.live}>
            <Waveform levels={levels.slice(-250)} />
          </div>
        </>
      )}
      {problem && (
        <span className={classes.problem} role="alert">
          {problem}
        </span>
      )}
      {!recorded &&
        !problem &&
        button(
          t('voice.stop'),
          <IconPlayerStopFilled size={18} />,
          stop,
          false,
        )}
      {recorded &&
        button(
          holding ? t('composer.hold') : t('voice.send'),
          holding ? <IconHourglass size={20} /> : <IconSend2 size={20} />,
          () => void send(recorded),
          true,
        )}
    </div>
  )
}

/** Playback plays a recording before it is sent. */
function Playback({
  blob,
  seconds,
  levels,
}: {
  blob: Blob
  seconds: number
  levels: number[]
}) {
  const { t } = useTranslation()
  const audio = useRef<HTMLAudioElement>(null)
  const [address, setAddress] = useState('')
  const [playing, setPlaying] = useState(false)
  const [at, setAt] = useState(0)
  useEffect(() => {
    const made = URL.createObjectURL(blob)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return (
    <>
      {address && (
        <audio
          ref={audio}
          src={address}
          onPlay={() => setPlaying(true)}
          onPause={() => setPlaying(false)}
          onEnded={() => setAt(0)}
          onTimeUpdate={(event) => setAt(event.currentTarget.currentTime)}
        />
      )}
      <ActionIcon
        variant="subtle"
        size={36}
        radius="xl"
        aria-label={playing ? t('voice.pause') : t('voice.play')}
        onClick={() =>
          playing ? audio.current?.pause() : void audio.current?.play()
        }
      >
        {playing ? (
          <IconPlayerPauseFilled size={18} />
        ) : (
          <IconPlayerPlayFilled size={18} />
        )}
      </ActionIcon>
      <div className={classes.whole}>
        <Waveform
          levels={resampled(levels, 64)}
          played={seconds > 0 ? Math.min(1, at / seconds) : 0}
        />
      </div>
      <output aria-label={t('voice.timer')}>
        {position(at > 0 ? at : seconds)}
      </output>
    </>
  )
}
