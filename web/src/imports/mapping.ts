/** Column is a column of the file with its first values and the field that it goes to, or null if it is not imported. */
export type Column = {
  index: number
  header: string
  field: string | null
  samples?: string[]
}

/** Mapping holds the field of each column by its number. */
export type Mapping = Record<number, string | null>

/** Fields that several columns can go to: parts of a name are joined, the first valid phone counts, labels add up. */
const shared = ['name', 'phone', 'labels']

/** mappingOf returns the mapping of columns as the server recognised them. */
export const mappingOf = (columns: Column[]): Mapping =>
  Object.fromEntries(columns.map(({ index, field }) => [index, field]))

/** assign sends a column to a field. If the field has room for one column only, the one that went there before is no longer imported. */
export function assign(
  mapping: Mapping,
  column: number,
  field: string | null,
): Mapping {
  const next: Mapping = {}
  for (const [index, before] of Object.entries(mapping))
    next[Number(index)] =
      field !== null && before === field && !shared.includes(field)
        ? null
        : before
  next[column] = field
  return next
}
