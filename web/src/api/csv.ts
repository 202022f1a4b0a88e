import i18next from 'i18next'
import { download } from '../ui/download'
import { addDownload, changeDownload, removeDownload } from '../ui/downloads'
import { apiBase, Failure, personHeaders, startRequest } from './client'

/** Query holds the filters of a list. Those that are no text are not sent. */
export type Query = object

/** The lists that the API returns as CSV. */
export type CsvPath =
  '/attendances' | '/audit' | '/contacts' | '/kanban/cards' | '/reports/cost'

const pieceSize = 4 * 1024 * 1024
const quote = 0x22
const lineFeed = 0x0a

/** RowCounter counts the rows of a CSV file without its heading, also if cells have line breaks. */
export class RowCounter {
  private quoted = false
  private ends = 0

  add(bytes: Uint8Array): void {
    for (const byte of bytes)
      if (byte === quote) this.quoted = !this.quoted
      else if (byte === lineFeed && !this.quoted) this.ends++
  }

  get rows(): number {
    return Math.max(0, this.ends - 1)
  }
}

/**
 * read collects a stream in pieces that the browser keeps outside the page's memory, and on disk if they are many: a million rows are
 * some hundred megabytes.
 */
async function read(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onProgress: (rows: number, bytes: number) => void,
): Promise<Blob> {
  const counter = new RowCounter()
  const pieces: Blob[] = []
  let chunks: Uint8Array<ArrayBuffer>[] = []
  let held = 0
  let bytes = 0
  let shown = 0
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (value) {
      counter.add(value)
      chunks.push(value)
      held += value.length
      bytes += value.length
    }
    if (done || held >= pieceSize) {
      pieces.push(new Blob(chunks))
      chunks = []
      held = 0
    }
    if (done || performance.now() - shown > 200) {
      onProgress(counter.rows, bytes)
      shown = performance.now()
    }
    if (done) return new Blob(pieces)
  }
}

async function fetchCsv(
  path: CsvPath,
  query: Query,
  signal: AbortSignal,
  onProgress: (rows: number, bytes: number) => void,
): Promise<Blob> {
  const failure = startRequest()
  const params = new URLSearchParams({ format: 'csv' })
  for (const [name, value] of Object.entries(query))
    if (typeof value === 'string') params.set(name, value)
  const response = await fetch(`${apiBase}${path}?${params.toString()}`, {
    headers: { 'Accept-Language': i18next.language, ...personHeaders() },
    credentials: 'same-origin',
    signal,
  })
  if (!response.ok || !response.body)
    throw failure(
      response.status,
      await response.json().catch(() => null),
      response.headers,
    )
  return read(response.body, onProgress)
}

/** saveCsv saves all rows of a list as a CSV file. The progress is among the downloads; it goes on when the user leaves the screen. */
export async function saveCsv(
  path: CsvPath,
  query: Query,
  file: string,
): Promise<void> {
  const controller = new AbortController()
  const id = addDownload({
    file,
    cancel: () => controller.abort(),
    again: () => {
      removeDownload(id)
      void saveCsv(path, query, file)
    },
  })
  try {
    const content = await fetchCsv(
      path,
      query,
      controller.signal,
      (rows, bytes) => changeDownload(id, { rows, bytes }),
    )
    download(file, content, 'text/csv;charset=utf-8')
    changeDownload(id, { state: 'saved' })
  } catch (error) {
    if (controller.signal.aborted) removeDownload(id)
    else
      changeDownload(id, {
        state: 'failed',
        error:
          error instanceof Failure
            ? error
            : new Failure(0, 'offline', '', undefined, [], null),
      })
  }
}
