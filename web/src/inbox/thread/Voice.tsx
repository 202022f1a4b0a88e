import { ActionIcon, Button } from '@mantine/core'
import {
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
} from '@tabler/icons-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { position } from '../../ui/format'
import classes from './Attached.module.css'

const speeds = [1, 1.5, 2]

/** Voice plays a recording. */
export function Voice({
  address,
  seconds,
}: {
  address: string
  seconds: number | null
}) {
  const { t } = useTranslation()
  const audio = useRef<HTMLAudioElement>(null)
  const [playing, setPlaying] = useState(false)
  const [at, setAt] = useState(0)
  const [length, setLength] = useState(seconds ?? 0)
  const [speed, setSpeed] = useState(1)
  const toggle = () =>
    playing ? audio.current?.pause() : void audio.current?.play()
  const faster = () => {
    const next = speeds[(speeds.indexOf(speed) + 1) % speeds.length] ?? 1
    setSpeed(next)
    if (audio.current) audio.current.playbackRate = next
  }
  return (
    <div className={classes.voice}>
      <audio
        ref={audio}
        src={address}
        preload="none"
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onEnded={() => setAt(0)}
        onTimeUpdate={(event) => setAt(event.currentTarget.currentTime)}
        onLoadedMetadata={(event) =>
          Number.isFinite(event.currentTarget.duration) &&
          setLength(event.currentTarget.duration)
        }
      />
      <ActionIcon
        radius="xl"
        size={34}
        aria-label={playing ? t('media.pause') : t('media.play')}
        onClick={toggle}
      >
        {playing ? (
          <IconPlayerPauseFilled size={16} />
        ) : (
          <IconPlayerPlayFilled size={16} />
        )}
      </ActionIcon>
      <input
        type="range"
        aria-label={t('media.position')}
        min={0}
        max={Math.max(1, Math.round(length))}
        step={1}
        value={Math.round(at)}
        aria-valuetext={position(at)}
        onChange={(event) => {
          if (audio.current)
            audio.current.currentTime = Number(event.currentTarget.value)
          setAt(Number(event.currentTarget.value))
        }}
      />
      <span>{position(playing || at > 0 ? at : length)}</span>
      <Button
        size="compact-xs"
        variant="default"
        aria-label={t('media.speed', { speed })}
        onClick={faster}
      >
        {speed}x
      </Button>
    </div>
  )
}
