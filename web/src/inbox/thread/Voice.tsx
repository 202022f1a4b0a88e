import {
  IconMicrophone,
  IconMusic,
  IconPlayerPauseFilled,
  IconPlayerPlayFilled,
} from '@tabler/icons-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Media, Message } from '../../api/types'
import { contentAddress } from '../../api/upload'
import { position } from '../../ui/format'
import { useWaveform } from './useWaveform'
import { barCount, bars } from './waveform'
import classes from './Voice.module.css'

const speeds = [1, 1.5, 2]
const height = 28
const flat = Array.from({ length: barCount }, () => 0)

/** Only one recording plays at a time. */
let playingNow: HTMLAudioElement | null = null

/** Voice plays a recording. Its waveform is also the slider. */
export function Voice({ message, media }: { message: Message; media: Media }) {
  const { t } = useTranslation()
  const box = useRef<HTMLDivElement>(null)
  const audio = useRef<HTMLAudioElement>(null)
  const [playing, setPlaying] = useState(false)
  const [at, setAt] = useState(0)
  const [length, setLength] = useState(media.duration_seconds ?? 0)
  const [speed, setSpeed] = useState(1)
  const address = contentAddress(media.id)
  const levels = useWaveform(media, address, box)
  const path = useMemo(() => bars(levels ?? flat, height), [levels])
  useEffect(() => {
    if (!playing) return
    let frame = requestAnimationFrame(function follow() {
      setAt(audio.current?.currentTime ?? 0)
      frame = requestAnimationFrame(follow)
    })
    return () => cancelAnimationFrame(frame)
  }, [playing])
  const toggle = () => {
    if (playing) return audio.current?.pause()
    playingNow?.pause()
    playingNow = audio.current
    void audio.current?.play().catch(() => undefined) // stopped before it began
  }
  const faster = () => {
    const next = speeds[(speeds.indexOf(speed) + 1) % speeds.length] ?? 1
    setSpeed(next)
    if (audio.current) audio.current.playbackRate = next
  }
  const played = length > 0 ? Math.min(1, at / length) : 0
  const Icon = message.voice || !media.file_name ? IconMicrophone : IconMusic
  return (
    <div
      ref={box}
      className={classes.voice}
      data-waveform={levels !== null || undefined}
    >
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
      <button
        type="button"
        className={classes.play}
        aria-label={playing ? t('media.pause') : t('media.play')}
        onClick={toggle}
      >
        {playing ? (
          <IconPlayerPauseFilled size={18} />
        ) : (
          <IconPlayerPlayFilled size={18} />
        )}
      </button>
      <div className={classes.wave}>
        <svg
          viewBox={`0 0 ${barCount * 4} ${height}`}
          preserveAspectRatio="none"
          aria-hidden
        >
          <path d={path} />
          <path
            d={path}
            data-played
            style={{ clipPath: `inset(0 ${(1 - played) * 100}% 0 0)` }}
          />
        </svg>
        <span className={classes.dot} style={{ left: `${played * 100}%` }} />
        <input
          type="range"
          aria-label={t('media.position')}
          min={0}
          max={Math.max(1, length)}
          step="any"
          value={at}
          aria-valuetext={position(at)}
          onKeyDown={(event) => {
            const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
            if (!by || !audio.current) return
            event.preventDefault()
            const next = Math.min(length, Math.max(0, at + by))
            audio.current.currentTime = next
            setAt(next)
          }}
          onChange={(event) => {
            const next = Number(event.currentTarget.value)
            if (audio.current) audio.current.currentTime = next
            setAt(next)
          }}
        />
      </div>
      <button
        type="button"
        className={classes.speed}
        aria-label={t('media.speed', { speed })}
        onClick={faster}
      >
        {speed}x
      </button>
      <span className={classes.length}>
        <Icon size={13} aria-hidden />
        {position(playing || at > 0 ? at : length)}
      </span>
    </div>
  )
}
