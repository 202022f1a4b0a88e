import { useEffect, useRef, useState } from 'react'
import { upload } from './upload'

type Options = {
  problemOf: (file: File) => string | null // why a file cannot be used
  refused: (error: unknown) => string // why the upload failed
  onFile: (file: File | null) => void
  onMedia: (media: string | null) => void
}

/** useUpload uploads a file as soon as it is chosen. Choosing another one, or none, stops the upload. progress is null while nothing is uploaded. */
export function useUpload({ problemOf, refused, onFile, onMedia }: Options) {
  const [file, setFile] = useState<File | null>(null)
  const [progress, setProgress] = useState<number | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const choose = async (chosen: File | null) => {
    running.current?.abort()
    const wrong = chosen && problemOf(chosen)
    setFile(chosen)
    setProgress(null)
    setProblem(wrong)
    onFile(wrong ? null : chosen)
    onMedia(null)
    if (!chosen || wrong) return
    const control = new AbortController()
    running.current = control
    setProgress(0)
    try {
      onMedia(
        (await upload(chosen, chosen.name, setProgress, control.signal)).id,
      )
    } catch (error) {
      if (!control.signal.aborted) setProblem(refused(error))
    }
    if (!control.signal.aborted) setProgress(null)
  }
  return { file, progress, problem, choose }
}
