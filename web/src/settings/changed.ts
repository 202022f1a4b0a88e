/** changed returns the values of a form that differ from the loaded ones. Only these are sent, so that saving does not undo a colleague's changes. */
export function changed<T extends object>(
  before: { [Name in keyof T]?: unknown },
  now: T,
): Partial<T> {
  const differs = (name: keyof T) =>
    JSON.stringify(before[name]) !== JSON.stringify(now[name])
  return Object.fromEntries(
    Object.entries(now).filter(([name]) => differs(name as keyof T)),
  ) as Partial<T>
}
