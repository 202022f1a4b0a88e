import { sendForm } from '../api/upload'
import type { TFunction } from 'i18next'
import { api, Failure, unwrap } from '../api/client'
import { fieldText, refusal } from '../api/refusal'
import type { FieldValues } from '../api/types'
import type { Job } from '../jobs/job'
import { number } from '../ui/format'
import type { Column } from './mapping'

/** LineError is a line of a file that is not imported, and why. */
export type LineError = {
  line: number
  field: string | null
  code: string
  message: string
  params?: Record<string, unknown>
}

/** Errors lists the first lines that are not imported; errors_total counts all of them, and url is a CSV file of them. Only the counts remain once a person was erased. */
export type Errors = {
  errors?: LineError[]
  errors_total: number
  url?: string | null
  expires_at?: string | null
}

/** Outcome is what happens to a line. */
export type Outcome = 'created' | 'updated' | 'skipped'

/** PreviewLine is one of the first lines of a file as it will be stored. */
export type PreviewLine = {
  line: number
  outcome: Outcome
  name: string | null
  phone: string | null
  company: string | null
  city: string | null
  labels: string[]
  opted_out: boolean | null
  fields: FieldValues
}

/** ContactsResult is what an import of contacts changed, or would change. A check also has the columns and the first lines. */
export type ContactsResult = Errors & {
  created: number
  updated: number
  skipped: number
  columns: Column[]
  preview: PreviewLine[]
}

export const dateOrders = ['dmy', 'mdy', 'ymd'] as const
export type DateOrder = (typeof dateOrders)[number]

/** Sender is a name in a chat with the number of its messages. */
export type Sender = { name: string; messages: number }

/** ChatLine is one of the first messages of a chat. */
export type ChatLine = {
  at: string
  sender: string
  text: string | null
  file?: string | null
}

/** ChatResult is what an import of a chat stored, or would store. A check also says what the file contains. */
export type ChatResult = Errors & {
  created: number
  existing: number
  skipped: number
  conversation: string | null
  me?: string | null
  senders?: Sender[]
  first_at: string | null
  last_at: string | null
  messages: number
  files: number
  date_order: DateOrder
  date_order_certain?: boolean
  preview?: ChatLine[]
}

/** ImportForm holds the fields of an import besides its file. Empty ones are not sent. */
export type ImportForm = { kind: 'contacts' | 'chat' } & Partial<
  Record<
    | 'mapping'
    | 'channel'
    | 'phone'
    | 'contact'
    | 'me'
    | 'timezone'
    | 'date_order',
    string
  >
>

/** startImport uploads a file and returns the job that imports it, or with dryRun only tries. */
export function startImport(
  file: File,
  fields: ImportForm,
  dryRun: boolean,
  onProgress: (part: number) => void = () => undefined,
  signal = new AbortController().signal,
): Promise<Job> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields))
    if (value) form.append(name, value)
  form.append('dry_run', String(dryRun))
  form.append('file', file, file.name)
  return sendForm<Job>('/imports', form, onProgress, signal)
}

const getJob = (id: string, signal: AbortSignal) =>
  unwrap(api.GET('/jobs/{id}', { params: { path: { id } }, signal }))

const wait = (milliseconds: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(new DOMException('aborted', 'AbortError'))
    })
  })

/** How long a check may take to start before it counts as waiting. */
const slow = 2000

/** checkImport tries an import and returns its result. onWaiting says whether other jobs keep it from starting. It throws a Failure if the file cannot be read. An aborted check is cancelled on the server. */
export async function checkImport<Result>(
  file: File,
  fields: ImportForm,
  onProgress: (part: number) => void,
  onWaiting: (waiting: boolean) => void,
  signal: AbortSignal,
): Promise<Result> {
  let job = await startImport(file, fields, true, onProgress, signal)
  const late = Date.now() + slow
  try {
    for (let pause = 150; job.status === 'running'; pause = 600) {
      await wait(pause, signal)
      job = await getJob(job.id, signal)
      onWaiting(job.progress.total === 0 && Date.now() > late)
    }
  } catch (error) {
    if (signal.aborted) void cancel(job.id)
    throw error
  }
  if (job.error) {
    const { code, message, params } = job.error
    throw new Failure(409, code, message, undefined, [], null, params)
  }
  return job.result as Result
}

/** cancel stops a job that nobody waits for. */
const cancel = (id: string) =>
  unwrap(api.POST('/jobs/{id}/cancel', { params: { path: { id } } })).catch(
    () => undefined,
  ) // it may have ended

/** lineReason returns why a line is not imported, in the user's language. */
export function lineReason(error: LineError, t: TFunction): string {
  const { code, message, params = {} } = error
  if (code === 'required') return t('imports.missing')
  if (code === 'malformed' && params.format === 'phone')
    return t('imports.badPhone')
  return fieldText({ code, params, message }, t)
}

/** fileProblem returns why a file cannot be imported, in the user's language. */
export function fileProblem(error: unknown, t: TFunction): string {
  const [detail] = error instanceof Failure ? error.details : []
  if (detail?.field === 'body.file') {
    if (detail.code === 'required') return t('imports.empty')
    if (detail.code === 'too_many')
      return t('imports.tooMany', { max: number(Number(detail.params.max)) })
    if (detail.code === 'malformed') return t('imports.utf16')
  }
  return refusal(error, t)
}
