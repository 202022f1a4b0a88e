import { apiBase, startRequest, Failure, personHeaders } from './client'
import type { Uploaded } from './types'

/** sendForm posts a form with a file and reports its progress from 0 to 1, which fetch cannot do. */
export function sendForm<T>(
  path: string,
  form: FormData,
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const failure = startRequest()
    const request = new XMLHttpRequest()
    request.open('POST', `${apiBase}${path}`)
    for (const [name, value] of Object.entries(personHeaders()))
      request.setRequestHeader(name, value)
    request.responseType = 'json'
    request.upload.onprogress = (event) =>
      event.lengthComputable && onProgress(event.loaded / event.total)
    request.onload = () => {
      if (request.status < 300) resolve(request.response as T)
      else reject(failure(request.status, request.response as unknown))
    }
    request.onerror = () =>
      reject(new Failure(0, 'offline', '', undefined, [], null))
    request.onabort = () => reject(new DOMException('aborted', 'AbortError'))
    signal.addEventListener('abort', () => request.abort())
    request.send(form)
  })
}

/** upload sends a file and reports its progress from 0 to 1. */
export function upload(
  file: Blob,
  name: string,
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<Uploaded> {
  const form = new FormData()
  form.append('file', file, name)
  return sendForm('/media', form, onProgress, signal)
}

/** contentAddress returns the URL of a file's content. */
export const contentAddress = (media: string) =>
  `${apiBase}/media/${media}/content`
