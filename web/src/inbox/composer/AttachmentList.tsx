import { CloseButton, Progress } from '@mantine/core'
import { IconFile, IconMusic } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { fileSize } from '../../ui/format'
import type { Attachment, Attachments } from './useAttachments'
import { captioned, hasCaption, longestCaption } from './written'
import classes from './Attachments.module.css'

type Props = {
  files: Attachments
  /** onRemoved is called after a file was removed. */
  onRemoved: () => void
}

/** AttachmentList shows the files to send as thumbnails. The composer's text is the caption of the last one; the others have a field on the thumbnail. */
export function AttachmentList({ files, onRemoved }: Props) {
  const { t } = useTranslation()
  if (files.files.length === 0) return null
  const main = captioned(files.files.filter((file) => !file.problem))
  return (
    <div className={classes.files}>
      {files.files.map((file) => (
        <div
          key={file.key}
          className={classes.file}
          data-own={file !== main || undefined}
        >
          <div className={classes.thumb}>
            {file.problem ? (
              <span className={classes.problem} role="alert">
                {file.problem}
              </span>
            ) : (
              <Thumbnail file={file} />
            )}
            {!file.media && !file.problem && (
              <Progress
                className={classes.progress}
                size={4}
                value={file.progress * 100}
                aria-label={t('attach.progress', { file: file.name })}
              />
            )}
            {!file.problem && hasCaption(file) && (
              <input
                className={classes.caption}
                aria-label={t('attach.caption', { file: file.name })}
                placeholder={t('attach.captionShort')}
                maxLength={longestCaption}
                value={file.caption}
                onChange={(event) =>
                  files.caption(file.key, event.currentTarget.value)
                }
              />
            )}
          </div>
          <span className={classes.name} title={file.name}>
            {file.name}
          </span>
          {file.size !== null && (
            <small className={classes.size}>{fileSize(file.size)}</small>
          )}
          <CloseButton
            className={classes.remove}
            size={24}
            iconSize={15}
            radius="xl"
            aria-label={t('attach.remove', { file: file.name })}
            title={t('attach.remove', { file: file.name })}
            onClick={() => {
              files.remove(file)
              onRemoved()
            }}
          />
        </div>
      ))}
    </div>
  )
}

/** Thumbnail shows a picture, the first frame of a video, or an icon with the file's extension. */
function Thumbnail({ file }: { file: Attachment }) {
  if (file.preview && file.type.startsWith('video/'))
    return <video src={file.preview} preload="metadata" muted playsInline />
  if (file.preview) return <img src={file.preview} alt="" />
  const Icon = file.type.startsWith('audio/') ? IconMusic : IconFile
  const extension = /\.(\w{1,5})$/.exec(file.name)?.[1]
  return (
    <span className={classes.kind} aria-hidden>
      <Icon size={30} stroke={1.4} />
      {extension?.toUpperCase()}
    </span>
  )
}
