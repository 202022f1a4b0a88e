import { personal } from '../ui/page'

/** TabNote is what a tab tells the person's other tabs: the session began again, or the person signed out. */
export type TabNote = 'began' | 'left'

/** tellTabs tells the other tabs of a person in this browser. */
export function tellTabs(person: string, note: TabNote): void {
  const channel = new BroadcastChannel(personal('session', person))
  channel.postMessage(note)
  channel.close()
}

/** onTabs calls back with what other tabs of a person tell. */
export function onTabs(
  person: string,
  listener: (note: TabNote) => void,
): () => void {
  const channel = new BroadcastChannel(personal('session', person))
  channel.onmessage = ({ data }: MessageEvent<TabNote>) => listener(data)
  return () => channel.close()
}
