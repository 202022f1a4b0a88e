/** StreamEvent is an event of the stream. An event without a type only moves the resume cursor. */
export type StreamEvent = { id: string | null; type: string; data: string }

/** Parser parses chunks of an event stream and returns the complete events. */
export class Parser {
  private rest = ''
  private type = ''
  private data: string[] = []
  private id: string | null = null

  push(piece: string): StreamEvent[] {
    const events: StreamEvent[] = []
    const lines = (this.rest + piece).split(/\r\n|\n|\r(?!$)/)
    this.rest = lines.pop() ?? ''
    for (const line of lines) {
      const event = this.line(line)
      if (event) events.push(event)
    }
    return events
  }

  private line(line: string): StreamEvent | null {
    if (line === '') {
      const empty = this.data.length === 0 && !this.type
      const event =
        empty && this.id === null
          ? null
          : {
              id: this.id,
              type: empty ? '' : this.type || 'message',
              data: this.data.join('\n'),
            }
      this.type = ''
      this.data = []
      this.id = null
      return event
    }
    const colon = line.indexOf(':')
    if (colon === 0) return null // comments keep the connection alive
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'event') this.type = value
    else if (field === 'data') this.data.push(value)
    else if (field === 'id') this.id = value
    return null
  }
}
