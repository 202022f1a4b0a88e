/** atTime encodes a time as the start position of a thread; a message is given by its id. */
export const atTime = (at: string) => `at:${at}`

/** timeOf returns the time encoded in a position, or null. */
export const timeOf = (place: string) =>
  place.startsWith('at:') ? place.slice(3) : null
