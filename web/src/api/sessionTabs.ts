import { personal } from '../ui/page'

/** TabNote is a message between the user's tabs: the session was renewed, or the user signed out. */
export type TabNote = 'began' | 'left'

/** tellTabs sends a message to the user's other tabs in this browser. */
export function tellTabs(person: string, note: TabNote): void {
  const channel = new BroadcastChannel(personal('session', person))
  channel.postMessage(note)
  channel.close()
}

/** onTabs subscribes to messages from the user's other tabs. */
export function onTabs(
  person: string,
  listener: (note: TabNote) => void,
): () => void {
  const channel = new BroadcastChannel(personal('session', person))
  channel.onmessage = ({ data }: MessageEvent<TabNote>) => listener(data)
  return () => channel.close()
}
