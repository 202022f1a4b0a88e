import type { Card } from '../api/types'

/** The editable fields of a card in display order. */
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

/** Conflict is a field that two people changed: the user's value and the stored one. */
export type Conflict = { field: FieldName; theirs: Card }

/** fieldsOf returns the editable fields of a card. */
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

/** sameField compares a field of two cards, ignoring the order of labels and surrounding spaces. */
export const sameField = (field: FieldName, a: Fields, b: Fields) =>
  plain(a[field]) === plain(b[field])

/** changedFields returns the fields that differ from the stored card. */
export const changedFields = (stored: Fields, mine: Fields) =>
  fieldNames.filter((field) => !sameField(field, stored, mine))

/** patchOf returns the request body that stores the user's edits. */
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
 * rebase applies edits based on one version of a card to a later one. Fields that only others changed take the new value; fields
 * that both changed differently keep the user's value and are returned as conflicts.
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
