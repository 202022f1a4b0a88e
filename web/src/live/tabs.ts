/** View is what a tab shows: whether it has the focus, and its open conversation. */
export type View = { focused: boolean; conversation: string | null }

type Note =
  | { kind: 'view'; tab: string; view: View }
  | { kind: 'ask' }
  | { kind: 'left'; tab: string }

/** shareView exchanges views with the other tabs, so that visible conversations cause no notifications. */
export function shareView(read: () => View, name: string) {
  const tab = crypto.randomUUID()
  const others = new Map<string, View>()
  const channel = new BroadcastChannel(name)
  const tell = () =>
    channel.postMessage({ kind: 'view', tab, view: read() } satisfies Note)
  const leave = () => channel.postMessage({ kind: 'left', tab } satisfies Note)
  channel.onmessage = ({ data }: MessageEvent<Note>) => {
    if (data.kind === 'ask') tell()
    else if (data.kind === 'left') others.delete(data.tab)
    else others.set(data.tab, data.view)
  }
  addEventListener('pagehide', leave)
  channel.postMessage({ kind: 'ask' } satisfies Note)
  tell()
  return {
    tell,
    /** views returns the views of all tabs, this one first. */
    views: () => [read(), ...others.values()],
    stop: () => {
      leave()
      removeEventListener('pagehide', leave)
      channel.close()
    },
  }
}
