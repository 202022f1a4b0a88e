import { readFieldFilter } from '../fields/filter'

/** ContactSearch is the search part of the contacts URL. */
export type ContactSearch = {
  q?: string
  label?: string
  channel?: string
  field?: string
  value?: string
}

const text = (value: unknown) =>
  typeof value === 'string' && value !== '' ? value : undefined

/** readContactSearch returns the valid search parameters and drops the others. */
export function readContactSearch(raw: Record<string, unknown>): ContactSearch {
  return {
    q: raw.q === undefined ? undefined : text(String(raw.q)),
    label: text(raw.label),
    channel: text(raw.channel),
    ...readFieldFilter(raw),
  }
}
