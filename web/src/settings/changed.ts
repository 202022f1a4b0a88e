/** changed are the values of a form that differ from those that were loaded. Only they are sent, so that saving does not undo what a colleague changed meanwhile. */
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
