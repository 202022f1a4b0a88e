import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core'

type Company = { id: string; api_key: string; channel: string; user: string; users: string[]; sectors: string[] }
export type Demo = { login: { email: string; password: string }; companies: Company[] }

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}

/** Desk is a running server with the demo company on SQLite, and a browser. */
export class Desk {
  readonly problems: string[] = []
  private constructor(
    readonly url: string,
    readonly demo: Demo,
    readonly browser: Browser,
    private readonly server: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start(base = ''): Promise<Desk> {
    const folder = mkdtempSync(join(tmpdir(), 'recado-e2e-'))
    const port = await freePort()
    const binary = process.env.RECADO ?? join(import.meta.dirname, '../../bin/recado')
    const server = spawn(binary, ['serve', '--demo', '--data', folder, '--addr', `127.0.0.1:${port}`, ...(base ? ['--base-path', base] : [])], { stdio: 'ignore' })
    const url = `http://127.0.0.1:${port}${base}`
    for (let tries = 0; ; tries++) {
      const ready = await fetch(`${url}/readyz`).then((answer) => answer.ok).catch(() => false)
      if (ready && existsSync(join(folder, 'demo.json'))) break
      if (tries > 300) throw new Error('the server does not answer')
      await pause(100)
    }
    const demo = JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')) as Demo
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: flags })
    return new Desk(url, demo, browser, server, folder)
  }

  get company(): Company {
    const [first] = this.demo.companies
    if (!first) throw new Error('the demo has no company')
    return first
  }

  /** call makes a call of the API with the company's key. */
  async call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const answer = await fetch(`${this.url}/v1${path}`, {
      method,
      headers: { Authorization: `Bearer ${this.company.api_key}`, ...(body ? { 'Content-Type': 'application/json' } : {}) },
      body: body ? JSON.stringify(body) : undefined,
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return answer.status === 204 ? {} : ((await answer.json()) as Record<string, unknown>)
  }

  /** customer writes a message to the company's number. */
  customer(from: string, name: string, text: string) {
    return this.call('POST', `/channels/${this.company.channel}/simulate`, { from, name, text })
  }

  /** page opens a page in a browser of its own; what the console reports is kept in problems. */
  async page(options: BrowserContextOptions = {}): Promise<{ page: Page; context: BrowserContext }> {
    const context = await this.browser.newContext({ locale: 'en-US', viewport: { width: 1440, height: 900 }, ...options })
    const page = await context.newPage()
    page.on('pageerror', (error) => this.problems.push(String(error)))
    page.on('console', (message) => {
      // The first question who is signed in is answered 401; browsers report that as an error.
      if (message.type() === 'error' && !/status of 401|ERR_INTERNET_DISCONNECTED/.test(message.text())) this.problems.push(`${message.text()} ${message.location().url}`)
    })
    return { page, context }
  }

  async signIn(page: Page, login = this.demo.login): Promise<void> {
    await page.goto(`${this.url}/`)
    const entrance = page.getByRole('main', { name: 'Sign in' })
    await entrance.getByRole('textbox', { name: 'E-mail' }).fill(login.email)
    await entrance.getByRole('textbox', { name: 'Password' }).fill(login.password)
    await entrance.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('navigation', { name: 'Views' }).or(page.getByRole('combobox', { name: 'Views' })).first().waitFor()
  }

  async stop(): Promise<void> {
    await this.browser.close()
    this.server.kill()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
