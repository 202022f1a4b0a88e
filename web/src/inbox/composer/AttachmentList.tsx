import { CloseButton, Progress, TextInput } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { fileSize } from '../../ui/format'
import type { Attachments } from './useAttachments'
import { longestCaption } from './written'
import classes from './Composer.module.css'

/** AttachmentList shows the files to send. */
export function AttachmentList({ files }: { files: Attachments }) {
  const { t } = useTranslation()
  if (files.files.length === 0) return null
  return (
    <div className={classes.files}>
      {files.files.map((file) => (
        <div key={file.key} className={classes.file}>
          <span className={classes.fileName}>
            {file.name}{' '}
            {file.size !== null && <small>{fileSize(file.size)}</small>}
          </span>
          {file.problem ? (
            <span className={classes.problem} role="alert">
              {file.problem}
            </span>
          ) : (
            <TextInput
              size="xs"
              aria-label={t('attach.caption', { file: file.name })}
              placeholder={t('attach.captionShort')}
              maxLength={longestCaption}
              value={file.caption}
              onChange={(event) =>
                files.caption(file.key, event.currentTarget.value)
              }
            />
          )}
          <CloseButton
            size="sm"
            iconSize={16}
            aria-label={t('attach.remove', { file: file.name })}
            onClick={() => files.remove(file.key)}
          />
          {!file.media && !file.problem && (
            <Progress
              className={classes.wide}
              size="xs"
              value={file.progress * 100}
              aria-label={t('attach.progress', { file: file.name })}
            />
          )}
        </div>
      ))}
    </div>
  )
}
