import { FileInput, Progress } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useUpload } from '../../api/useUpload'
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
  const problemOf = (chosen: File) => {
    if (accepted[type] && !accepted[type].split(',').includes(chosen.type))
      return t('template.wrongType')
    const limit = type === 'document' ? 100 * 1024 * 1024 : limitOf(chosen.type)
    return chosen.size > limit
      ? t('attach.tooLarge', { limit: fileSize(limit) })
      : null
  }
  const { file, progress, problem, choose } = useUpload({
    problemOf,
    refused: (error) => refusal(error, t),
    onFile,
    onMedia,
  })
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
