import { useEffect, useRef, useState } from 'react'

const formats = ['audio/ogg;codecs=opus', 'audio/webm;codecs=opus', 'audio/mp4']

/** How often the volume is measured, in milliseconds. */
const interval = 80

/** meter returns a function that measures the volume of a stream, from 0 to 1, and one that ends it. */
function meter(stream: MediaStream): { level: () => number; end: () => void } {
  if (typeof AudioContext === 'undefined')
    return { level: () => 0, end: () => undefined }
  const context = new AudioContext()
  const analyser = context.createAnalyser()
  analyser.fftSize = 1024
  context.createMediaStreamSource(stream).connect(analyser)
  const samples = new Float32Array(analyser.fftSize)
  return {
    level: () => {
      analyser.getFloatTimeDomainData(samples)
      const power =
        samples.reduce((sum, one) => sum + one * one, 0) / samples.length
      return Math.min(1, Math.sqrt(power) * 4)
    },
    end: () => void context.close(),
  }
}

/** useRecorder records mono audio at 24 kbit/s, small enough for WhatsApp to show it as a voice message. It starts when mounted. */
export function useRecorder() {
  const recorder = useRef<MediaRecorder>(undefined)
  const [seconds, setSeconds] = useState(0)
  const [levels, setLevels] = useState<number[]>([])
  const [recorded, setRecorded] = useState<Blob | null>(null)
  const [denied, setDenied] = useState(false)
  useEffect(() => {
    let ended = false
    let end: (() => void) | undefined
    navigator.mediaDevices
      .getUserMedia({ audio: { channelCount: 1 } })
      .then((opened) => {
        const release = () =>
          opened.getTracks().forEach((track) => track.stop())
        if (ended) return release()
        const started = new MediaRecorder(opened, {
          mimeType: formats.find((format) =>
            MediaRecorder.isTypeSupported(format),
          ),
          audioBitsPerSecond: 24_000,
        })
        const volume = meter(opened)
        const chunks: Blob[] = []
        started.ondataavailable = (event) => chunks.push(event.data)
        started.onstop = () => {
          end?.()
          setRecorded(new Blob(chunks, { type: started.mimeType }))
        }
        started.start()
        recorder.current = started
        const since = performance.now()
        const timer = setInterval(() => {
          setSeconds((performance.now() - since) / 1000)
          setLevels((all) => [...all, volume.level()])
        }, interval)
        end = () => {
          end = undefined
          clearInterval(timer)
          volume.end()
          release()
        }
      })
      .catch(() => setDenied(true))
    return () => {
      ended = true
      end?.()
    }
  }, [])
  return {
    /** The length so far, in seconds. */
    seconds,
    levels,
    recorded,
    denied,
    stop: () => recorder.current?.stop(),
  }
}
