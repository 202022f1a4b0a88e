import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core'

type Company = {
  id: string
  api_key: string
  channel: string
  private_channel: string
  user: string
  users: string[]
  sectors: string[]
}
export type Demo = {
  login: { email: string; password: string }
  companies: Company[]
}
export type Engine = 'SQLite' | 'PostgreSQL'

const postgres = process.env.RECADO_TEST_POSTGRES

/** engines lists the databases to test: PostgreSQL if scripts/with-postgres started one. */
const engines: Engine[] = postgres ? ['SQLite', 'PostgreSQL'] : ['SQLite']

/** Each page is tested on one engine, some on SQLite and some on PostgreSQL. The API tests cover both. */
export const sqliteOnly = engines.slice(0, 1)
export const postgresOnly = engines.slice(-1)

/** slow delays every API call by up to this many milliseconds (SLOW=800 make web-e2e), to find code that depends on the order of responses. */
const slow = Number(process.env.SLOW ?? 0)

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
  '--disable-audio-output',
  // Pages live for seconds, so optimizing their code and compiling it ahead of its first call cost more than they save.
  '--js-flags=--no-opt --max-lazy',
]

export const launch = (executablePath = process.env.CHROMIUM) =>
  chromium.launch({
    executablePath: executablePath ?? '/usr/bin/chromium',
    args: flags,
  })

/** wholeChromium is the path of a browser that can show notifications, which the headless shell cannot. There may be none. */
export const wholeChromium = [
  process.env.CHROMIUM_WHOLE ?? '',
  '/usr/bin/chromium',
].find((path) => existsSync(path))

/** freePort returns a free port of this machine. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.on('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() =>
        resolve(typeof address === 'object' && address ? address.port : 0),
      )
    })
  })
}

/** newDatabase creates an empty database on the temporary PostgreSQL server and returns its URL. */
function newDatabase(): string {
  const name = `e2e_${process.pid}_${Math.random().toString(36).slice(2, 8)}`
  execFileSync('psql', [
    '-q',
    '-d',
    postgres ?? '',
    '-c',
    `CREATE DATABASE ${name}`,
  ])
  const address = new URL(postgres ?? '')
  address.pathname = `/${name}`
  return address.href
}

type Options = {
  base?: string
  engine?: Engine
  demo?: boolean
  flags?: string[]
  /** The server; by default RECADO or bin/recado. */
  binary?: string
  chromium?: string
}

/** Desk is a running server with the demo company, and a browser. */
export class Desk {
  /** What pages must not cause: console errors and warnings, requests to other hosts, CSP violations. */
  readonly problems: string[] = []
  private constructor(
    readonly url: string,
    readonly demo: Demo,
    readonly browser: Browser,
    readonly output: () => string,
    private server: ChildProcess,
    private readonly start: () => ChildProcess,
    private readonly folder: string,
  ) {}

  static async start({
    base = '',
    engine = 'SQLite',
    demo = true,
    flags: more = [],
    binary = process.env.RECADO ??
      join(import.meta.dirname, '../../bin/recado'),
    chromium: browser,
  }: Options = {}): Promise<Desk> {
    const folder = mkdtempSync(join(tmpdir(), 'recado-e2e-'))
    const port = await freePort()
    const database =
      engine === 'PostgreSQL' ? ['--database-url', newDatabase()] : []
    let output = ''
    const run = () => {
      const server = spawn(
        binary,
        [
          'serve',
          ...(demo ? ['--demo'] : []),
          '--data',
          folder,
          '--addr',
          `127.0.0.1:${port}`,
          ...database,
          ...(base ? ['--base-path', base] : []),
          ...more,
        ],
        { stdio: ['ignore', 'pipe', 'pipe'] },
      )
      server.stdout.on('data', (piece: Buffer) => (output += String(piece)))
      server.stderr.on('data', (piece: Buffer) => (output += String(piece)))
      return server
    }
    const server = run()
    const url = `http://127.0.0.1:${port}${base}`
    const file = join(folder, 'demo.json')
    await Desk.ready(
      url,
      () => !demo || existsSync(file),
      () => output,
    )
    const made = demo
      ? (JSON.parse(readFileSync(file, 'utf8')) as Demo)
      : { login: { email: '', password: '' }, companies: [] }
    return new Desk(
      url,
      made,
      await launch(browser),
      () => output,
      server,
      run,
      folder,
    )
  }

  private static async ready(
    url: string,
    more: () => boolean,
    output: () => string,
  ): Promise<void> {
    for (let tries = 0; ; tries++) {
      const answers = await fetch(`${url}/readyz`)
        .then((answer) => answer.ok)
        .catch(() => false)
      if (answers && more()) return
      if (tries > 1800)
        throw new Error(`the server does not answer: ${output()}`)
      await pause(100)
    }
  }

  /** restart kills the server and starts it again after a while. */
  async restart(while_: () => Promise<void>): Promise<void> {
    const ended = new Promise((resolve) => this.server.once('exit', resolve))
    this.server.kill('SIGKILL')
    await ended
    await while_()
    this.server = this.start()
    await Desk.ready(this.url, () => true, this.output)
  }

  get company(): Company {
    const [first] = this.demo.companies
    if (!first) throw new Error('the demo has no company')
    return first
  }

  /** call calls the API with the company's key. */
  async call(
    method: string,
    path: string,
    body?: object,
  ): Promise<Record<string, unknown>> {
    const answer = await fetch(`${this.url}/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${this.company.api_key}`,
        ...(body ? { 'Content-Type': 'application/json' } : {}),
        ...(method === 'POST' && path.startsWith('/kanban/')
          ? { 'Idempotency-Key': crypto.randomUUID() }
          : {}),
      },
      body: body ? JSON.stringify(body) : undefined,
    })
    if (!answer.ok)
      throw new Error(
        `${method} ${path}: ${answer.status} ${await answer.text()}`,
      )
    return answer.status === 204
      ? {}
      : ((await answer.json()) as Record<string, unknown>)
  }

  /** problemsOf closes the pages of a test and returns their problems. */
  async problemsOf(): Promise<string[]> {
    for (const context of this.browser.contexts()) await context.close()
    return this.problems.splice(0)
  }

  /** customer sends a message to the company's number. */
  customer(from: string, name: string, text: string) {
    return this.call('POST', `/channels/${this.company.channel}/simulate`, {
      from,
      name,
      text,
    })
  }

  /** page opens a page in its own browser context, without motion. Its problems are collected in problems; expected matches console messages that the test provokes. */
  async page(
    options: BrowserContextOptions = {},
    expected = /^$/,
  ): Promise<{ page: Page; context: BrowserContext }> {
    const context = await this.browser.newContext({
      locale: 'en-US',
      viewport: { width: 1440, height: 900 },
      reducedMotion: 'reduce',
      serviceWorkers: 'block', // push.test.ts allows them
      ...options,
    })
    context.setDefaultTimeout(90_000)
    if (slow)
      await context.route(/\/v1\//, (route) =>
        pause(Math.random() * slow)
          .then(() => route.continue())
          .catch(() => undefined),
      ) // the page may already be closed
    const page = await context.newPage()
    await page.addInitScript(() =>
      addEventListener('securitypolicyviolation', (event) =>
        console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`),
      ),
    )
    page.on('pageerror', (error) => this.problems.push(String(error)))
    page.on('console', (message) => {
      const text = `${message.text()} ${message.location().url}`
      if (
        (message.type() === 'error' || message.type() === 'warning') &&
        !text.includes('registration blocked by Playwright') &&
        !expected.test(text)
      )
        this.problems.push(text)
    })
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url())
      if (protocol.startsWith('http') && origin !== new URL(this.url).origin)
        this.problems.push(`request to ${request.url()}`)
    })
    return { page, context }
  }

  /** session gives a page a new session without the sign-in form, which has its own tests. */
  async session(page: Page, login = this.demo.login): Promise<void> {
    const answer = await fetch(`${this.url}/v1/session`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(login),
    })
    const [, name, value, path] =
      /^([^=]+)=([^;]+);.*Path=([^;]+)/.exec(
        answer.headers.get('Set-Cookie') ?? '',
      ) ?? []
    if (!name || !value || !path)
      throw new Error(`sign in: ${answer.status} ${await answer.text()}`)
    await page.context().addCookies([
      {
        name,
        value,
        path,
        domain: '127.0.0.1',
        httpOnly: true,
        sameSite: 'Lax',
      },
    ])
  }

  /** signIn opens the inbox with a new session. */
  async signIn(page: Page, login = this.demo.login): Promise<void> {
    await this.session(page, login)
    await page.goto(`${this.url}/`)
    await page
      .getByRole('navigation', { name: 'Views' })
      .or(page.getByRole('combobox', { name: 'Views' }))
      .first()
      .waitFor()
  }

  /** signInAs signs a colleague in through a reset link. */
  async signInAs(page: Page, user: string): Promise<void> {
    const key = { Authorization: `Bearer ${this.company.api_key}` }
    const link = await fetch(`${this.url}/v1/team/${user}/reset-link`, {
      method: 'POST',
      headers: key,
    })
    if (!link.ok)
      throw new Error(`reset link: ${link.status} ${await link.text()}`)
    await page.goto(((await link.json()) as { url: string }).url)
    const welcome = page.getByRole('main', { name: 'Welcome' })
    await welcome
      .getByRole('textbox', { name: 'Password' })
      .fill('correct horse battery')
    await welcome.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('navigation', { name: 'Views' }).waitFor()
  }

  /** colleague returns another member of the company. */
  get colleague(): string {
    return this.company.users.find((id) => id !== this.company.user) ?? ''
  }

  async stop(): Promise<void> {
    await this.browser.close()
    const ended = new Promise((resolve) => this.server.once('exit', resolve))
    this.server.kill()
    await ended
    rmSync(this.folder, { recursive: true, force: true })
  }
}
