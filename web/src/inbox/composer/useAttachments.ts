import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { upload } from '../../api/upload'
import { fileSize } from '../../ui/format'
import { refusal } from '../refusal'

export type Attachment = {
  key: string
  name: string
  size: number | null
  caption: string
  progress: number
  media: string | null
  problem: string | null
}

const mega = 1024 * 1024

/** limitOf returns WhatsApp's size limit for a file type. */
export function limitOf(type: string): number {
  if (type === 'image/webp') return 5 * mega
  if (type.startsWith('image/')) return 5 * mega
  if (type.startsWith('audio/') || type.startsWith('video/')) return 16 * mega
  return 100 * mega
}

const refusedTypes =
  /^(image\/(svg|gif|tiff|bmp)|text\/html|application\/(x-msdownload|x-sh|javascript))/

/** useAttachments uploads files immediately and keeps their captions until they are sent. */
export function useAttachments() {
  const { t } = useTranslation()
  const [files, setFiles] = useState<Attachment[]>([])
  const running = useRef(new Map<string, AbortController>())
  const change = (key: string, fields: Partial<Attachment>) =>
    setFiles((all) =>
      all.map((one) => (one.key === key ? { ...one, ...fields } : one)),
    )
  useEffect(() => {
    const uploads = running.current
    return () => uploads.forEach((one) => one.abort())
  }, [])

  const start = (file: File) => {
    const key = crypto.randomUUID()
    const limit = limitOf(file.type)
    const problem =
      file.size > limit
        ? t('attach.tooLarge', { limit: fileSize(limit) })
        : refusedTypes.test(file.type)
          ? t('attach.type')
          : null
    setFiles((all) => [
      ...all,
      {
        key,
        name: file.name,
        size: file.size,
        caption: '',
        progress: 0,
        media: null,
        problem,
      },
    ])
    if (problem) return
    const control = new AbortController()
    running.current.set(key, control)
    upload(
      file,
      file.name,
      (progress) => change(key, { progress }),
      control.signal,
    )
      .then((media) => change(key, { media: media.id, progress: 1 }))
      .catch(
        (error: unknown) =>
          !(error instanceof DOMException) &&
          change(key, { problem: refusal(error, t) }),
      )
      .finally(() => running.current.delete(key))
  }
  return {
    files,
    ready: files.flatMap((file) =>
      file.media ? [{ ...file, media: file.media }] : [],
    ),
    uploading: files.some((file) => !file.media && !file.problem),
    add: (added: File[]) => added.forEach(start),
    /** attach adds a file that the server already has. */
    attach: (media: string, name: string) =>
      setFiles((all) => [
        ...all,
        {
          key: crypto.randomUUID(),
          name,
          size: null,
          caption: '',
          progress: 1,
          media,
          problem: null,
        },
      ]),
    caption: (key: string, caption: string) => change(key, { caption }),
    remove: (key: string) => {
      running.current.get(key)?.abort()
      setFiles((all) => all.filter((one) => one.key !== key))
    },
    clear: () => setFiles([]),
  }
}
export type Attachments = ReturnType<typeof useAttachments>
