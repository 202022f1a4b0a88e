// Takes the screenshots for the README from the demo: docs/images/*.png.
//
//   node scripts/screenshots.mjs      RECADO is the binary, CHROMIUM the browser
import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { smallPng } from './png.mjs'

const out = join(import.meta.dirname, '../../docs/images')
const folder = mkdtempSync(join(tmpdir(), 'recado-screenshots-'))
const url = 'http://127.0.0.1:18095'
const server = spawn(
  process.env.RECADO ?? join(import.meta.dirname, '../../bin/recado'),
  ['serve', '--demo', '--data', folder, '--addr', '127.0.0.1:18095'],
  { stdio: 'ignore' },
)
const ended = new Promise((resolve) => server.once('exit', resolve))
const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--force-color-profile=srgb',
]
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: flags,
})
const desktop = { width: 1440, height: 900 }
const phone = { width: 390, height: 844 }

const rows = (page, name) =>
  page
    .getByRole('listbox', { name: 'Conversations' })
    .getByRole('option', { name })
const nav = (page, name) =>
  page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name })
    .click()

/** inbox opens a conversation, next to the list or instead of it. */
const inbox = (name) => async (page) => {
  await page.goto(`${url}/inbox/open`)
  await rows(page).first().waitFor()
  if (!name) return
  await rows(page, name).click()
  await page.getByRole('article').first().waitFor()
}

async function contact(page) {
  await nav(page, 'Contacts')
  await page
    .getByRole('table', { name: 'Contacts' })
    .getByRole('link', { name: 'Lia Monteiro' })
    .click()
  await page
    .getByRole('complementary', { name: 'Details' })
    .getByText(/^ATD-/)
    .first()
    .waitFor()
}

async function board(page) {
  await nav(page, 'Boards')
  await page.getByRole('tab', { name: 'Orders' }).click()
  await page
    .getByRole('region', { name: /^Doing, / })
    .getByRole('listitem')
    .first()
    .waitFor()
}

async function report(page) {
  await nav(page, 'Report')
  await page.getByRole('button', { name: '7 days' }).click()
  await page.locator('figure svg').nth(1).waitFor()
}

async function channel(page) {
  await page.goto(`${url}/settings/channels`)
  await page
    .getByRole('list', { name: 'Numbers' })
    .getByRole('link')
    .first()
    .click()
  await page.getByRole('region', { name: 'Status' }).waitFor()
}

async function reference(page) {
  await page.goto(`${url}/docs/`)
  await page.locator('.opblock').first().waitFor()
}

const light = { viewport: desktop, colorScheme: 'light' }
const dark = { viewport: desktop, colorScheme: 'dark' }
const hand = { viewport: phone, isMobile: true, hasTouch: true }

const shots = [
  { name: 'inbox-light', options: light, show: inbox(/^Lia Monteiro/) },
  { name: 'inbox-dark', options: dark, show: inbox(/^Lia Monteiro/) },
  { name: 'phone-list', options: hand, show: inbox() },
  { name: 'phone-conversation', options: hand, show: inbox(/^Lia Monteiro/) },
  { name: 'contacts', options: light, show: contact },
  { name: 'board', options: light, show: board },
  { name: 'report', options: light, show: report },
  { name: 'channel', options: light, show: channel },
  { name: 'api', options: dark, show: reference },
]

/** prepare waits for the server and returns the demo's login. */
async function prepare() {
  for (let tries = 0; tries < 300; tries++) {
    const ready = await fetch(`${url}/readyz`)
      .then((answer) => answer.ok)
      .catch(() => false)
    if (ready && existsSync(join(folder, 'demo.json')))
      return JSON.parse(readFileSync(join(folder, 'demo.json'), 'utf8')).login
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('the server does not respond')
}

try {
  const login = await prepare()
  mkdirSync(out, { recursive: true })
  for (const { name, options, show } of shots) {
    const context = await browser.newContext({
      locale: 'en-US',
      reducedMotion: 'reduce',
      ...options,
    })
    const page = await context.newPage()
    await page.goto(url)
    await page.getByRole('textbox', { name: 'E-mail' }).fill(login.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(login.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await rows(page).first().waitFor()
    await show(page)
    await page
      .waitForLoadState('networkidle', { timeout: 2000 })
      .catch(() => undefined) // the live stream stays open
    await page.mouse.move(0, 0)
    const path = join(out, `${name}.png`)
    const picture = smallPng(
      await page.screenshot({ animations: 'disabled', caret: 'hide' }),
    )
    writeFileSync(path, picture)
    console.log(`${path} ${Math.round(picture.length / 1024)} KiB`)
    await context.close()
  }
} finally {
  await browser.close()
  server.kill()
  await ended
  rmSync(folder, { recursive: true, force: true })
}
