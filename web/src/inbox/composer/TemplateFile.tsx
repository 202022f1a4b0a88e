import { FileInput, Progress } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { upload } from '../../api/upload'
import { fileSize } from '../../ui/format'
import { refusal } from '../refusal'
import { limitOf } from './useAttachments'

const accepted = {
  image: 'image/jpeg,image/png',
  video: 'video/mp4,video/3gpp',
  document: '',
}

type Props = {
  label: string
  type: keyof typeof accepted
  onFile: (file: File | null) => void
  onMedia: (media: string | null) => void
}

/** TemplateFile is the field for a template's header file. The file is uploaded immediately. */
export function TemplateFile({ label, type, onFile, onMedia }: Props) {
  const { t } = useTranslation()
  const [file, setFile] = useState<File | null>(null)
  const [progress, setProgress] = useState<number | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  const problemOf = (chosen: File) => {
    if (accepted[type] && !accepted[type].split(',').includes(chosen.type))
      return t('template.wrongType')
    const limit = type === 'document' ? 100 * 1024 * 1024 : limitOf(chosen.type)
    return chosen.size > limit
      ? t('attach.tooLarge', { limit: fileSize(limit) })
      : null
  }
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
      if (!control.signal.aborted) setProblem(refusal(error, t))
    }
    if (!control.signal.aborted) setProgress(null)
  }
  return (
    <div>
      <FileInput
        label={label}
        placeholder={t('template.chooseFile')}
        accept={accepted[type] || undefined}
        value={file}
        error={problem}
        clearable
        clearButtonProps={{
          'aria-label': t('attach.remove', { file: file?.name ?? '' }),
        }}
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
