/** ContactSearch is what the address of the contacts holds beside the open contact. */
export type ContactSearch = { q?: string; label?: string; channel?: string }

const text = (value: unknown) =>
  typeof value === 'string' && value !== '' ? value : undefined

/** readContactSearch takes what is known from the address and leaves out the rest. */
export function readContactSearch(raw: Record<string, unknown>): ContactSearch {
  return {
    q: raw.q === undefined ? undefined : text(String(raw.q)),
    label: text(raw.label),
    channel: text(raw.channel),
  }
}
