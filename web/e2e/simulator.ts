import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'

/** Simulator imitates WhatsApp. Its number has the credentials that it prints. */
export class Simulator {
  private constructor(
    readonly url: string,
    private readonly server: ChildProcess,
    private readonly output: () => string,
  ) {}

  static async start(): Promise<Simulator> {
    const binary =
      process.env.RECADO ?? join(import.meta.dirname, '../../bin/recado')
    const server = spawn(
      binary,
      ['simulate-whatsapp', '--addr', '127.0.0.1:0'],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let output = ''
    const url = await new Promise<string>((resolve, reject) => {
      server.once('exit', () =>
        reject(new Error(`the simulator ended: ${output}`)),
      )
      const read = (piece: Buffer) => {
        output += String(piece)
        const address = /is at (http\S+)/.exec(output)?.[1]
        if (address && output.includes('/_control/ledger')) resolve(address)
      }
      server.stdout.on('data', read)
      server.stderr.on('data', read)
    })
    return new Simulator(url, server, () => output)
  }

  /** credential returns a value from Meta's dashboard. */
  credential(
    name: 'phone_number_id' | 'waba_id' | 'token' | 'app_secret',
  ): string {
    return new RegExp(`^ *${name} +(\\S+)$`, 'm').exec(this.output())?.[1] ?? ''
  }

  /** control changes the simulator's behaviour. */
  async control(method: string, path: string, body?: object): Promise<unknown> {
    const answer = await fetch(`${this.url}/_control/${path}`, {
      method,
      body: body ? JSON.stringify(body) : undefined,
    })
    const text = await answer.text()
    if (!answer.ok)
      throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text ? (JSON.parse(text) as unknown) : null
  }

  /** customer writes to the number. */
  async customer(customer: string, name: string, text: string): Promise<void> {
    await this.control('POST', 'messages', { customer, name, text })
  }

  /** received returns the texts that a customer's phone received. */
  async received(customer: string): Promise<string> {
    return JSON.stringify(
      await this.control('GET', `ledger?recipient=${customer}`),
    )
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.server.once('exit', resolve))
    this.server.kill()
    await ended
  }
}
