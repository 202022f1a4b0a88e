// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { shareView } from './tabs'

it('tabs exchange what they show', async () => {
  const name = `view-${crypto.randomUUID()}`
  let conversation: string | null = 'a'
  const first = shareView(() => ({ focused: true, conversation }), name)
  const second = shareView(() => ({ focused: false, conversation: null }), name)
  const seen = () => second.views().map((view) => view.conversation)
  await expect.poll(seen).toEqual([null, 'a'])
  conversation = 'b'
  first.tell()
  await expect.poll(seen).toEqual([null, 'b'])
  first.stop()
  await expect.poll(seen).toEqual([null])
  second.stop()
})
