import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Desk, sqliteOnly } from './desk'
import { axe, dialog, go, hasFocus, speak } from './parts'
import { Simulator } from './simulator'

const list = (page: Page) => page.getByRole('list', { name: 'Templates' })
const entry = (page: Page, name: string) =>
  list(page).getByRole('link', { name: new RegExp(`^${name} `) })
const form = (page: Page) => page.getByRole('form', { name: 'New template' })
const preview = (page: Page) => page.getByRole('region', { name: 'Preview' })

describe.each(sqliteOnly)('templates, %s', (engine) => {
  let desk: Desk
  let simulator: Simulator
  let channel: string

  const connect = async () => {
    const credentials = Object.fromEntries(
      (['phone_number_id', 'waba_id', 'token', 'app_secret'] as const).map(
        (name) => [name, simulator.credential(name)],
      ),
    )
    const made = await desk.call('POST', '/channels', {
      name: 'Balcão',
      provider: 'whatsapp',
      credentials,
    })
    return String(made.id)
  }
  const decide = (name: string, status: string, reason = '') =>
    simulator.control('PUT', 'template-status', {
      name,
      language: 'en_US',
      status,
      reason,
    })
  const open = async (page: Page, path = '') => {
    await desk.session(page)
    await page.goto(`${desk.url}/settings/channels/${channel}/templates${path}`)
  }

  beforeAll(async () => {
    simulator = await Simulator.start()
    desk = await Desk.start({
      engine,
      flags: ['--whatsapp-base-url', simulator.url],
    })
    await simulator.control('PUT', 'template-review', { mode: 'manual' })
    // The second number is also in the WhatsApp Business app, whose history arrives when the test says so.
    await simulator.control('POST', 'numbers', {
      id: '200000000000009',
      waba_id: simulator.credential('waba_id'),
      phone: '5511933330009',
      name: 'Padaria',
      coexistence: true,
    })
    channel = await connect()
  })
  afterAll(async () => {
    await desk.stop()
    await simulator.stop()
  })
  afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

  it('are built with a live preview, reviewed by Meta and deleted', async () => {
    const { page } = await desk.page({}, /status of 400 .*\/templates/)
    await open(page)
    await entry(page, 'hello_world').waitFor()
    await axe(page, 'templates')
    await page.getByRole('link', { name: 'New template' }).click()
    const fields = form(page)
    const field = (name: string) => fields.getByRole('textbox', { name })

    // Nothing is sent before everything is there; the first missing field gets the focus.
    await fields.getByRole('button', { name: 'Send for review' }).click()
    await hasFocus(field('Name'))
    await page.keyboard.type('Pedido Pronto!')
    await fields.getByText('At Meta: pedido_pronto').waitFor()
    await fields.getByRole('radio', { name: 'Utility' }).waitFor()
    const body = field('Text')
    await body.click()
    await page.keyboard.type('Hello ')
    await fields.getByRole('button', { name: 'Add variable' }).click()
    await page.keyboard.type(', order ')
    await fields.getByRole('button', { name: 'Add variable' }).click()
    await page.keyboard.type(' is ready')
    await body.evaluate((one: HTMLTextAreaElement) =>
      one.setSelectionRange(one.value.length - 5, one.value.length),
    )
    await fields.getByRole('button', { name: 'Bold' }).click()
    await expect
      .poll(() => body.inputValue())
      .toBe('Hello {{1}}, order {{2}} is *ready*')
    await field('Example for {{1}}').fill('Ana')
    await field('Example for {{2}}').fill('431')
    await preview(page).getByText('Hello Ana, order 431 is').waitFor()
    await preview(page).locator('strong', { hasText: 'ready' }).waitFor()

    // A variable that was removed leaves no gap in the numbers.
    await body.fill('Order {{2}} is *ready*, thanks')
    await page.keyboard.press('Tab')
    await expect
      .poll(() => body.inputValue())
      .toBe('Order {{1}} is *ready*, thanks')
    await expect.poll(() => field('Example for {{1}}').inputValue()).toBe('431')

    await fields.getByRole('combobox', { name: 'Header' }).click()
    await page.getByRole('option', { name: 'Text' }).click()
    await field('Header text').fill('Padaria')
    await field('Footer').fill('Open until 8 pm')
    await fields.getByRole('button', { name: 'Quick reply' }).click()
    await field('Button text').fill('Thank you')
    await fields.getByRole('button', { name: 'Link' }).click()
    const link = fields.getByRole('group', { name: 'Button 2: Link' })
    await link.getByRole('textbox', { name: 'Button text' }).fill('Track')
    await link
      .getByRole('textbox', { name: 'Address' })
      .fill('https://example.com/{{1}}')
    await link
      .getByRole('textbox', { name: 'Example of the whole address' })
      .fill('https://example.com/431')
    await preview(page).getByText('Track').waitFor()
    await axe(page, 'the builder')
    await fields.getByRole('button', { name: 'Send for review' }).click()

    await page.getByText('pedido_pronto was sent to Meta for review.').waitFor()
    const made = entry(page, 'pedido_pronto')
    await made.filter({ hasText: 'In review' }).waitFor()
    await decide('pedido_pronto', 'APPROVED')
    await made.filter({ hasText: 'Approved' }).waitFor()
    await simulator.control('PUT', 'template-quality', {
      name: 'pedido_pronto',
      language: 'en_US',
      quality: 'GREEN',
    })
    await made.click()
    const details = dialog(page, 'pedido_pronto')
    await details.getByText('https://example.com/{{1}}').waitFor()
    await details.getByText('Open until 8 pm').waitFor()
    await axe(page, 'a template')

    // A copy with the same name is refused by Meta, at the field of the name.
    await details.getByRole('link', { name: 'Use as a starting point' }).click()
    await expect.poll(() => field('Name').inputValue()).toBe('pedido_pronto_2')
    await expect.poll(() => field('Example for {{1}}').inputValue()).toBe('431')
    await field('Name').fill('pedido_pronto')
    await fields.getByRole('button', { name: 'Send for review' }).click()
    await fields
      .getByText(/^There is already a template with this name/)
      .waitFor()
    await hasFocus(field('Name'))
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: 'Leave', exact: true })
      .click()

    await entry(page, 'pedido_pronto')
      .filter({ hasText: 'High quality' })
      .click()
    await details.getByRole('button', { name: 'Delete template' }).click()
    const question = page.getByRole('alertdialog', {
      name: 'Delete pedido_pronto?',
    })
    await axe(page, 'deleting a template')
    await question.getByRole('button', { name: 'Delete template' }).click()
    await page.getByText('pedido_pronto was deleted.').waitFor()
    await entry(page, 'hello_world').waitFor()
    await expect.poll(() => entry(page, 'pedido_pronto').count()).toBe(0)
  })

  it('show why Meta rejected them, and which one cannot be deleted', async () => {
    for (const name of ['oferta_um', 'oferta_dois', 'reabrir'])
      await desk.call('POST', `/channels/${channel}/templates`, {
        name,
        language: 'en_US',
        category: 'utility',
        body: `Buy ${name} today`,
      })
    await decide('oferta_um', 'REJECTED', 'PROMOTIONAL')
    await decide('oferta_dois', 'REJECTED', 'SOMETHING_NEW')
    await decide('reabrir', 'APPROVED')
    const { page } = await desk.page({}, /status of 409 .*\/templates/)
    await open(page)
    await entry(page, 'oferta_um')
      .filter({ hasText: 'The text advertises something' })
      .waitFor()
    await entry(page, 'oferta_dois')
      .filter({ hasText: /something_new/i })
      .waitFor()

    // By keyboard: search, filter and open.
    await page.getByRole('searchbox', { name: 'Search templates' }).focus()
    await page.keyboard.type('oferta')
    await expect.poll(() => list(page).getByRole('link').count()).toBe(2)
    await page.getByRole('combobox', { name: 'Status' }).focus()
    await page.keyboard.press('ArrowDown')
    await page.getByRole('option', { name: 'Approved' }).click()
    await page.getByText('No template matches.').waitFor()
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Rejected' }).click()
    await entry(page, 'oferta_um').focus()
    await page.keyboard.press('Enter')
    await dialog(page, 'oferta_um')
      .getByText('Meta rejected this template')
      .waitFor()
    await page.keyboard.press('Escape')
    await hasFocus(entry(page, 'oferta_um'))

    await expect
      .poll(() =>
        desk
          .call('PATCH', `/channels/${channel}`, {
            reopen_template: { name: 'reabrir', language: 'en_US' },
          })
          .then(() => true)
          .catch(() => false),
      )
      .toBe(true)
    await page.getByRole('searchbox', { name: 'Search templates' }).fill('')
    await page.getByRole('combobox', { name: 'Status' }).click()
    await page.getByRole('option', { name: 'Approved' }).click()
    await entry(page, 'reabrir').click()
    await dialog(page, 'reabrir')
      .getByRole('button', { name: 'Delete template' })
      .click()
    const question = page.getByRole('alertdialog', { name: 'Delete reabrir?' })
    await question.getByRole('button', { name: 'Delete template' }).click()
    await question
      .getByText(/^This template reopens conversations of a number/)
      .waitFor()
  })

  it('fit a phone, and have all their texts in three languages', async () => {
    const { page } = await desk.page({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    })
    await open(page)
    for (const language of ['pt-BR', 'es', 'en']) {
      await speak(page, language)
      await page.goto(`${desk.url}/settings/channels/${channel}/templates`)
      const row = page.locator('main li a', { hasText: 'hello_world' })
      await row.waitFor()
      await fits(page, `templates, ${language}`)
      await row.tap()
      await page.getByRole('dialog').waitFor()
      await page.getByRole('dialog').getByRole('link').tap()
      await page.locator('textarea').first().waitFor()
      await fits(page, `builder, ${language}`)
    }
    await axe(page, 'the builder on a phone')
    await go(page, `/settings/channels/${channel}`)
    await page.getByRole('link', { name: 'Manage templates' }).waitFor()
    await fits(page, 'the number')
  })

  /** fits checks that nothing is wider than the screen and that no key is shown instead of a text. */
  async function fits(page: Page, screen: string) {
    expect([
      screen,
      await page.evaluate(() => document.documentElement.scrollWidth),
    ]).toEqual([screen, 390])
    expect([
      screen,
      /\b(templates|import|connect|channels)\.[a-z]\w+/.exec(
        await page.locator('body').innerText(),
      ),
    ]).toEqual([screen, null])
  }

  it('and a number of the WhatsApp Business app shows the import of its history', async () => {
    const { page } = await desk.page()
    await desk.session(page)
    await page.goto(`${desk.url}/settings/channels/connect`)
    const field = (name: string) => page.getByRole('textbox', { name })
    await simulator.control('PUT', 'history', {
      number: '200000000000009',
      contacts: [{ phone: '5511955550101', name: 'Marina Souza' }],
      threads: [],
      chunks: 0,
      declined: true,
    })
    await field('Phone number ID').fill('200000000000009')
    await field('WhatsApp Business Account ID').fill(
      simulator.credential('waba_id'),
    )
    await field('App secret').fill(simulator.credential('app_secret'))
    await field('Access token').fill(simulator.credential('token'))
    await field('Name').fill('Padaria')
    const stays = page.getByRole('checkbox', {
      name: 'The number stays in the WhatsApp Business app',
    })
    await page.getByText(/at least every 13 days/).waitFor()
    await stays.check()
    await page.getByRole('button', { name: 'Connect number' }).click()
    const section = page.getByRole('region', { name: 'Import from the phone' })
    await section.getByText('History not shared').waitFor()
    await axe(page, 'an import that was declined')

    const push = (progress: number) =>
      simulator.control('POST', 'pushes', {
        number: '200000000000009',
        field: 'history',
        value: {
          history: [
            {
              metadata: {
                phase: 1,
                chunk_order: 1,
                progress: String(progress),
              },
              threads: [],
            },
          ],
        },
      })
    await push(55)
    await page.reload()
    await section.getByText('Importing, 55%').waitFor()
    await section.getByRole('progressbar').waitFor()
    await axe(page, 'an import')
    await push(100)
    await section.getByText('Done', { exact: true }).waitFor()
  })
})
