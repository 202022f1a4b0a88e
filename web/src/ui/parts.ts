import { lazy, type ComponentType } from 'react'

const loaders: (() => Promise<unknown>)[] = []

/** Links of style sheets that failed to load. Vite treats them as loaded and does not retry. */
const broken = new Set<HTMLLinkElement>()
addEventListener(
  'error',
  ({ target }) =>
    target instanceof HTMLLinkElement &&
    target.rel === 'stylesheet' &&
    broken.add(target),
  true,
)

let reloaded: Promise<unknown> | undefined

/** reloadStyles reloads the style sheets that failed to load. */
function reloadStyles(): Promise<unknown> | undefined {
  if (broken.size > 0) reloaded = Promise.all([...broken].map(reload))
  broken.clear()
  return reloaded
}

function reload(link: HTMLLinkElement): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const again = link.cloneNode() as HTMLLinkElement
    again.onload = resolve
    again.onerror = reject
    link.replaceWith(again)
  })
}

/** withStyles loads a part of the page together with the styles outside the first screen. */
export async function withStyles<T>(loading: Promise<T>): Promise<T> {
  const [loaded] = await Promise.all([loading, import('./styles')])
  await reloadStyles()
  return loaded
}

/** online resolves when the browser is online. */
const online = () =>
  new Promise<void>((resolve) =>
    navigator.onLine
      ? resolve()
      : addEventListener('online', () => resolve(), { once: true }),
  )

/** persist retries a failed task: immediately, after 1 and 2 seconds, and when the browser is back online. */
export async function persist<T>(
  task: () => Promise<T>,
  pauses = [0, 1000, 2000],
): Promise<T> {
  for (const pause of pauses) {
    try {
      return await task()
    } catch {
      await online()
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
  return task()
}

/** part returns a lazy component. It is loaded when first rendered or when the page is idle, so that it also works offline. */
export function part<Props>(load: () => Promise<ComponentType<Props>>) {
  const loadAll = () => persist(() => withStyles(load())) // a retry also reloads failed styles
  loaders.push(loadAll)
  return lazy(async () => ({ default: await loadAll() }))
}

/** afterPaint runs a task after the next paint. It returns a function that cancels the task. */
export function afterPaint(task: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>
  const frame = requestAnimationFrame(() => (timer = setTimeout(task)))
  return () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
}

/** soon runs a task in the next macrotask. It returns a function that cancels the task or calls its cleanup. */
export function soon(task: () => () => void): () => void {
  let end: (() => void) | undefined
  const timer = setTimeout(() => (end = task()))
  return () => {
    clearTimeout(timer)
    end?.()
  }
}

/** loadParts loads all parts one by one while the page is idle. */
export async function loadParts(): Promise<void> {
  for (const load of loaders) {
    await new Promise<void>((resolve) =>
      'requestIdleCallback' in window
        ? requestIdleCallback(() => resolve())
        : setTimeout(resolve, 50),
    )
    await load().catch(() => undefined) // rendering the part retries
  }
}
