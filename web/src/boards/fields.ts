import type { Card } from '../api/types'

/** The fields of a card that people edit, in the order of the dialog. */
export const fieldNames = [
  'title',
  'description',
  'priority',
  'due_at',
  'assignee',
  'label_ids',
  'contact',
  'conversation',
  'private',
] as const
export type FieldName = (typeof fieldNames)[number]
export type Fields = Pick<Card, FieldName>

/** Conflict is a field that two people changed: what this person wrote, and what is stored by now. */
export type Conflict = { field: FieldName; theirs: Card }

/** fieldsOf takes the editable fields of a card. */
export const fieldsOf = (card: Card): Fields => ({
  title: card.title,
  description: card.description,
  priority: card.priority,
  due_at: card.due_at,
  assignee: card.assignee,
  label_ids: card.label_ids,
  contact: card.contact,
  conversation: card.conversation,
  private: card.private,
})

const plain = (value: unknown) =>
  Array.isArray(value)
    ? [...value].sort().join()
    : typeof value === 'string'
      ? value.trim()
      : (value ?? '')

/** sameField compares a field of two cards; the order of labels and spaces at the ends do not count. */
export const sameField = (field: FieldName, a: Fields, b: Fields) =>
  plain(a[field]) === plain(b[field])

/** changedFields are those that differ from the stored card. */
export const changedFields = (stored: Fields, mine: Fields) =>
  fieldNames.filter((field) => !sameField(field, stored, mine))

/** patchOf is the change that makes the stored card what the person wrote. */
export const patchOf = (stored: Fields, mine: Fields): Partial<Fields> =>
  Object.fromEntries(
    changedFields(stored, mine).map((field) => [
      field,
      field === 'title'
        ? mine.title.trim()
        : field === 'description'
          ? mine.description?.trim() || null
          : mine[field],
    ]),
  )

/**
 * rebase applies what a person wrote on one version of a card to a later one. Fields that only others changed are taken over; those that
 * both changed to something different stay as written and are returned as conflicts.
 */
export function rebase(
  stored: Fields,
  mine: Fields,
  theirs: Card,
): { fields: Fields; conflicts: FieldName[] } {
  const conflicts = fieldNames.filter(
    (field) =>
      !sameField(field, stored, mine) &&
      !sameField(field, stored, theirs) &&
      !sameField(field, mine, theirs),
  )
  const kept = Object.fromEntries(
    fieldNames
      .filter((field) => !sameField(field, stored, mine))
      .map((field) => [field, mine[field]]),
  )
  return { fields: { ...fieldsOf(theirs), ...kept }, conflicts }
}
