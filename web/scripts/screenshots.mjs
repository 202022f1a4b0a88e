// Makes the pictures of the README from the demo: docs/images/*.png.
//
//   node scripts/screenshots.mjs      RECADO names the binary, CHROMIUM the browser
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'

const out = join(import.meta.dirname, '../../docs/images')
const folder = mkdtempSync(join(tmpdir(), 'recado-screenshots-'))
const url = 'http://127.0.0.1:18095'
const server = spawn(process.env.RECADO ?? join(import.meta.dirname, '../../bin/recado'), ['serve', '--demo', '--data', folder, '--addr', '127.0.0.1:18095'], { stdio: 'ignore' })
const ended = new Promise((resolve) => server.once('exit', resolve))
const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--force-color-profile=srgb']
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: flags })
const desktop = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }

const shots = [
  { name: 'inbox-light', options: { viewport: desktop, colorScheme: 'light' } },
  { name: 'inbox-dark', options: { viewport: desktop, colorScheme: 'dark' } },
  { name: 'phone-list', options: { viewport: phone, isMobile: true, hasTouch: true }, list: true },
  { name: 'phone-conversation', options: { viewport: phone, isMobile: true, hasTouch: true } },
]

const rows = (page, name) => page.getByRole('listbox', { name: 'Conversations' }).getByRole('option', { name })

/** prepare waits for the server and gives the login of the demo. */
async function prepare() {
  for (let tries = 0; tries < 300; tries++) {
    const ready = await fetch(`${url}/readyz`).then((answer) => answer.ok).catch(() => false)
    if (ready && existsSync(join(folder, 'demo.json'))) return JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')).login
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the server does not answer')
}

try {
  const login = await prepare()
  mkdirSync(out, { recursive: true })
  for (const { name, options, list } of shots) {
    const context = await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce', ...options })
    const page = await context.newPage()
    await page.goto(url)
    await page.getByRole('textbox', { name: 'E-mail' }).fill(login.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(login.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await rows(page).first().waitFor()
    await page.goto(`${url}/inbox/open`)
    await rows(page).first().waitFor()
    if (!list) {
      await rows(page, /^Lia Monteiro/).click()
      await page.getByRole('article').first().waitFor()
      await page.waitForLoadState('networkidle', { timeout: 2000 }).catch(() => undefined) // the live stream stays open
    }
    await page.mouse.move(0, 0)
    const path = join(out, `${name}.png`)
    await page.screenshot({ path, animations: 'disabled', caret: 'hide' })
    console.log(`${path} ${Math.round(statSync(path).size / 1024)} KiB`)
    await context.close()
  }
} finally {
  await browser.close()
  server.kill()
  await ended
  rmSync(folder, { recursive: true, force: true })
}
