/** ImportSearch is the search part of an import's URL: its job, and the conversation or contact that it began at. */
export type ImportSearch = {
  job?: string
  conversation?: string
  contact?: string
}

const id = (value: unknown) =>
  typeof value === 'string' && /^[0-9a-f-]{36}$/.test(value) ? value : undefined

/** readImportSearch returns the valid search parameters and drops the others. */
export const readImportSearch = (
  raw: Record<string, unknown>,
): ImportSearch => ({
  job: id(raw.job),
  conversation: id(raw.conversation),
  contact: id(raw.contact),
})
