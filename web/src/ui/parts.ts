import { lazy, type ComponentType } from 'react'

const loaders: (() => Promise<unknown>)[] = []

/** part is a component that is loaded when it is first shown, or when the page is idle, so that it is there without a network. */
export function part<Props>(load: () => Promise<ComponentType<Props>>) {
  loaders.push(load)
  return lazy(async () => ({ default: await load() }))
}

/** afterPaint runs a task when the page has drawn what is there now; the answer takes it back. */
export function afterPaint(task: () => void): () => void {
  let timer: ReturnType<typeof setTimeout>
  const frame = requestAnimationFrame(() => (timer = setTimeout(task)))
  return () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
}

/** loadParts loads all parts one after the other while the page is idle. */
export async function loadParts(): Promise<void> {
  for (const load of loaders) {
    await new Promise<void>((resolve) => ('requestIdleCallback' in window ? requestIdleCallback(() => resolve()) : setTimeout(resolve, 50)))
    await load().catch(() => undefined) // it is tried again when it is shown
  }
}
