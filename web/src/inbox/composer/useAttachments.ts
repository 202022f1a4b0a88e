import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../api/client'
import { contentAddress, upload } from '../../api/upload'
import { fileSize } from '../../ui/format'
import { refusal } from '../refusal'

/** Attachment is a file to send. preview is the address of a picture or video; media is null until the server has the file. */
export type Attachment = {
  key: string
  name: string
  type: string
  size: number | null
  preview: string | null
  caption: string
  progress: number
  media: string | null
  problem: string | null
  /** Whether it is sent as a voice message. */
  voice: boolean
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

/** isShown reports whether a browser can show a thumbnail of a file type. */
const isShown = (type: string) => /^(image|video)\//.test(type)

/** release frees the memory of a thumbnail. */
const release = ({ preview }: Attachment) =>
  preview?.startsWith('blob:') && URL.revokeObjectURL(preview)

/** pasted gives a picture from the clipboard a name. Browsers call all of them "image.png". */
export function pasted(file: File, name: string): File {
  if (!/^image\.\w+$/.test(file.name)) return file
  return new File([file], name + file.name.slice('image'.length), {
    type: file.type,
  })
}

/** Uploaded files that wait in a composer that is not open. */
const kept = new Map<string, Attachment[]>()

/** useAttachments uploads files immediately and keeps them with their captions until they are sent, also while another composer is open. */
export function useAttachments(composer: string) {
  const { t } = useTranslation()
  const [files, setFiles] = useState(() => kept.get(composer) ?? [])
  const latest = useRef(files)
  const running = useRef(new Map<string, AbortController>())
  const change = (key: string, fields: Partial<Attachment>) =>
    setFiles((all) =>
      all.map((one) => (one.key === key ? { ...one, ...fields } : one)),
    )
  useLayoutEffect(() => {
    latest.current = files
  })
  useEffect(() => {
    const uploads = running.current
    kept.delete(composer)
    return () => {
      uploads.forEach((one) => one.abort())
      const uploaded = latest.current.filter((one) => one.media)
      if (uploaded.length > 0) kept.set(composer, uploaded)
      latest.current.filter((one) => !one.media).forEach(release)
    }
  }, [composer])

  const start = (file: File) => {
    const key = crypto.randomUUID()
    const limit = limitOf(file.type)
    const problem =
      file.size > limit
        ? t('attach.tooLarge', { limit: fileSize(limit) })
        : refusedTypes.test(file.type)
          ? t('attach.type')
          : null
    const preview =
      !problem && isShown(file.type) ? URL.createObjectURL(file) : null
    setFiles((all) => [
      ...all,
      {
        key,
        name: file.name,
        type: file.type || 'application/octet-stream',
        size: file.size,
        preview,
        caption: '',
        progress: 0,
        media: null,
        problem,
        voice: false,
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
      .then((media) =>
        change(key, { media: media.id, type: media.mime_type, progress: 1 }),
      )
      .catch(
        (error: unknown) =>
          !(error instanceof DOMException) &&
          change(key, { problem: refusal(error, t) }),
      )
      .finally(() => running.current.delete(key))
  }
  const drop = (gone: Attachment[]) => {
    const keys = gone.map((one) => one.key)
    for (const one of gone) {
      running.current.get(one.key)?.abort()
      release(one)
    }
    setFiles((all) => all.filter((one) => !keys.includes(one.key)))
  }
  return {
    files,
    ready: files.flatMap((file) =>
      file.media ? [{ ...file, media: file.media }] : [],
    ),
    uploading: files.some((file) => !file.media && !file.problem),
    add: (added: File[]) => added.forEach(start),
    /** attach adds a file that the server already has. */
    attach: (media: string, name: string, caption = '', voice = false) => {
      const key = crypto.randomUUID()
      setFiles((all) => [
        ...all,
        {
          key,
          name,
          type: '',
          size: null,
          preview: null,
          caption,
          progress: 1,
          media: null,
          problem: null,
          voice,
        },
      ])
      unwrap(api.GET('/media/{id}', { params: { path: { id: media } } }))
        .then(({ mime_type, size }) =>
          change(key, {
            media,
            type: mime_type,
            size,
            preview: isShown(mime_type) ? contentAddress(media) : null,
          }),
        )
        .catch((error: unknown) => change(key, { problem: refusal(error, t) }))
    },
    caption: (key: string, caption: string) => change(key, { caption }),
    remove: (file: Attachment) => drop([file]),
    /** clear removes the files that were sent. Those with a problem stay until someone removes them. */
    clear: () => drop(files.filter((one) => one.media)),
  }
}
export type Attachments = ReturnType<typeof useAttachments>
