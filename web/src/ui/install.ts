import { useSyncExternalStore } from 'react'

/** InstallPrompt is Chromium's event that lets a page offer its installation. */
type InstallPrompt = Event & { prompt: () => Promise<unknown> }

let offered: InstallPrompt | null = null
const watchers = new Set<() => void>()

function set(prompt: InstallPrompt | null): void {
  offered = prompt
  watchers.forEach((watcher) => watcher())
}

/** watchInstall keeps the browser's offer to install the app, which it makes once after the page has loaded. */
export function watchInstall(): void {
  addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault() // the profile offers it
    set(event as InstallPrompt)
  })
  addEventListener('appinstalled', () => set(null))
}

/** useInstall returns a function that installs the app, or null if the browser does not offer it. */
export function useInstall(): (() => void) | null {
  const prompt = useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => offered,
  )
  return (
    prompt &&
    (() => {
      set(null) // it can be used once
      void prompt.prompt().catch(() => undefined)
    })
  )
}
