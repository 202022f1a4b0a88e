import type { FieldFilters } from '../api/types'

/** FieldFilterValue is the custom field that a list is filtered by, with the value once it is chosen. */
export type FieldFilterValue = { field?: string; value?: string }

/** readFieldFilter reads the filter from the search part of a URL. */
export function readFieldFilter(
  raw: Record<string, unknown>,
): FieldFilterValue {
  const text = (value: unknown) =>
    value === undefined || value === '' ? undefined : String(value)
  return { field: text(raw.field), value: text(raw.value) }
}

/** fieldParameters returns the filter as a query parameter: field.KEY=VALUE. */
export const fieldParameters = ({
  field,
  value,
}: FieldFilterValue): FieldFilters =>
  field && value !== undefined ? { [`field.${field}`]: value } : {}
