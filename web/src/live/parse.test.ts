import { describe, expect, it } from 'vitest'
import { Parser, type StreamEvent } from './parse'

describe('the stream parser', () => {
  it('parses events split at any point', () => {
    const text =
      ': hello\n\nid: 7\nevent: message.received\ndata: {"a":\ndata: 1}\n\nevent: typing\ndata: {}\n\n'
    for (let size = 1; size < text.length; size++) {
      const parser = new Parser()
      const events: StreamEvent[] = []
      for (let at = 0; at < text.length; at += size)
        events.push(...parser.push(text.slice(at, at + size)))
      expect(events).toEqual([
        { id: '7', type: 'message.received', data: '{"a":\n1}' },
        { id: null, type: 'typing', data: '{}' },
      ])
    }
  })

  it('returns an id without data, which moves the cursor', () => {
    expect(
      new Parser().push('retry: 1000\nid: 40\n\n: \nid: 41\n\n: \n\n'),
    ).toEqual([
      { id: '40', type: '', data: '' },
      { id: '41', type: '', data: '' },
    ])
  })
})
