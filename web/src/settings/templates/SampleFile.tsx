import { FileInput, Progress } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { refusal } from '../../api/refusal'
import { useUpload } from '../../api/useUpload'
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
  const { file, progress, problem, choose } = useUpload({
    problemOf: (chosen) =>
      accepted[kind].split(',').includes(chosen.type)
        ? null
        : t('wrong.media_type'),
    refused: (failure) => refusal(failure, t),
    onFile,
    onMedia,
  })
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
