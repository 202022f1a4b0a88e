import { FileInput, Progress } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { refusal } from '../../api/refusal'
import { upload } from '../../api/upload'
import type { FileKind } from './templateForm'

const accepted = {
  image: 'image/jpeg,image/png',
  video: 'video/mp4',
  document: 'application/pdf',
}

type Props = {
  kind: FileKind
  error: string | undefined
  onFile: (file: File | null) => void
  onMedia: (media: string | null) => void
}

/** SampleFile is the field for an example of a header's file, which Meta looks at. It is uploaded immediately. */
export function SampleFile({ kind, error, onFile, onMedia }: Props) {
  const { t } = useTranslation()
  const [file, setFile] = useState<File | null>(null)
  const [progress, setProgress] = useState<number | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const choose = async (chosen: File | null) => {
    running.current?.abort()
    const fits = !chosen || accepted[kind].split(',').includes(chosen.type)
    setFile(chosen)
    setProgress(null)
    setProblem(fits ? null : t('wrong.media_type'))
    onFile(fits ? chosen : null)
    onMedia(null)
    if (!chosen || !fits) return
    const control = new AbortController()
    running.current = control
    setProgress(0)
    try {
      onMedia(
        (await upload(chosen, chosen.name, setProgress, control.signal)).id,
      )
    } catch (failure) {
      if (!control.signal.aborted) setProblem(refusal(failure, t))
    }
    if (!control.signal.aborted) setProgress(null)
  }
  return (
    <div>
      <FileInput
        label={t('templates.sampleFile')}
        description={t(`templates.fileText.${kind}`)}
        placeholder={t('templates.chooseFile')}
        accept={accepted[kind]}
        value={file}
        error={problem ?? error}
        clearable
        clearButtonProps={{ 'aria-label': t('templates.removeFile') }}
        onChange={(chosen) => void choose(chosen)}
      />
      {progress !== null && (
        <Progress
          size="xs"
          mt={4}
          value={progress * 100}
          aria-label={t('attach.progress', { file: file?.name ?? '' })}
        />
      )}
    </div>
  )
}
