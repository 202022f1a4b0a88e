import { apiBase, asking, Failure, personHeaders } from './client'
import type { Uploaded } from './types'

/** upload sends a file and reports how much of it is sent, 0 to 1. fetch cannot report that. */
export function upload(
  file: Blob,
  name: string,
  onProgress: (part: number) => void,
  signal: AbortSignal,
): Promise<Uploaded> {
  return new Promise((resolve, reject) => {
    const failure = asking()
    const request = new XMLHttpRequest()
    request.open('POST', `${apiBase}/media`)
    for (const [name, value] of Object.entries(personHeaders()))
      request.setRequestHeader(name, value)
    request.responseType = 'json'
    request.upload.onprogress = (event) =>
      event.lengthComputable && onProgress(event.loaded / event.total)
    request.onload = () => {
      if (request.status < 300) resolve(request.response as Uploaded)
      else reject(failure(request.status, request.response as unknown))
    }
    request.onerror = () =>
      reject(new Failure(0, 'offline', '', undefined, [], null))
    request.onabort = () => reject(new DOMException('aborted', 'AbortError'))
    signal.addEventListener('abort', () => request.abort())
    const form = new FormData()
    form.append('file', file, name)
    request.send(form)
  })
}

/** contentAddress is where the bytes of a file are. */
export const contentAddress = (media: string) =>
  `${apiBase}/media/${media}/content`
