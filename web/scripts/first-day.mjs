// Performs the first steps after an installation in Chromium: creates the company at the setup link, adds a test number,
// writes as a customer and replies. Prints the session cookies as JSON.
//
//   node scripts/first-day.mjs LINK      CHROMIUM is the browser
import { chromium } from 'playwright-core'

const flags = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const [link] = process.argv.slice(2)
if (!link) {
  console.error('usage: node scripts/first-day.mjs LINK')
  process.exit(2)
}

async function createCompany(page) {
  await page.goto(link)
  const main = page.getByRole('main', { name: 'Set up Recado' })
  await main
    .getByRole('textbox', { name: 'Company name' })
    .fill('Padaria Aurora')
  await main.getByRole('textbox', { name: 'Your name' }).fill('Ana')
  await main.getByRole('textbox', { name: 'E-mail' }).fill('ana@example.com')
  await main.getByRole('textbox', { name: 'Password' }).fill('a long password')
  await main.getByRole('button', { name: 'Create company' }).click()
  await page.getByRole('heading', { level: 1, name: 'Channels' }).waitFor()
}

async function writeAsCustomer(page) {
  await page.getByRole('button', { name: 'Add a test number' }).click()
  const customer = page.getByRole('form', { name: 'Write as the customer' })
  await customer.getByRole('textbox', { name: 'Name' }).fill('Primeira Cliente')
  await customer
    .getByRole('textbox', { name: 'Text' })
    .fill('Vocês abrem hoje?')
  await customer.getByRole('button', { name: 'Send as the customer' }).click()
  await customer.getByRole('link', { name: 'Open the inbox' }).click()
}

async function answer(page) {
  const read = page.waitForResponse(
    (r) => r.request().method() === 'POST' && r.url().endsWith('/read'),
  )
  await page
    .getByRole('listbox', { name: 'Conversations' })
    .getByRole('option', { name: /^Primeira Cliente/ })
    .click()
  const log = page.getByRole('log', { name: 'Messages' })
  await log.getByText('Vocês abrem hoje?').waitFor()
  await read
  const message = page.getByRole('textbox', { name: 'Message' })
  await message.fill('Sim, até as 20 h.')
  await message.press('Enter')
  await log
    .getByRole('article', { name: /^You, .*(Sent|Delivered|Read)$/ })
    .filter({ hasText: 'Sim, até as 20 h.' })
    .waitFor()
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: flags,
})
try {
  const context = await browser.newContext({ locale: 'en-US' })
  context.setDefaultTimeout(60_000) // generous, because the machine may be busy
  const page = await context.newPage()
  await createCompany(page)
  await writeAsCustomer(page)
  await answer(page)
  console.log(JSON.stringify(await context.cookies()))
} finally {
  await browser.close()
}
