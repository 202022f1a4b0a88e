import type { Page } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { Desk, sqliteOnly } from './desk'
import { dialog, log, message, row } from './parts'
import { Simulator } from './simulator'

const link = /https?:\/\/\S+#\/setup\?token=[^\s"\\]+/

/** setUp opens the set-up link of an empty installation and creates the company. */
async function setUp(desk: Desk, page: Page): Promise<void> {
  await expect.poll(() => link.test(desk.output())).toBe(true)
  await page.goto(link.exec(desk.output())?.[0] ?? '')
  const main = page.getByRole('main', { name: 'Set up Recado' })
  await main
    .getByRole('textbox', { name: 'Company name' })
    .fill('Padaria Central')
  await main.getByRole('textbox', { name: 'Your name' }).fill('Rita Lopes')
  await main.getByRole('textbox', { name: 'E-mail' }).fill('rita@example.com')
  await main
    .getByRole('textbox', { name: 'Password' })
    .fill('correct horse battery')
  await main.getByRole('button', { name: 'Create company' }).click()
  await page.getByRole('heading', { level: 1, name: 'Channels' }).waitFor()
}

describe.each(sqliteOnly)('the first day, %s', (engine) => {
  let desk: Desk | undefined
  let simulator: Simulator | undefined
  afterEach(async () => {
    await desk?.stop()
    await simulator?.stop()
    desk = simulator = undefined
  })

  it('leads from an empty installation to the first answered customer on a test number', async () => {
    desk = await Desk.start({ engine, demo: false })
    const { page } = await desk.page()
    await setUp(desk, page)
    const steps = page.getByRole('region', { name: 'First steps' })
    await expect
      .poll(() => steps.getByRole('link').allTextContents())
      .toEqual([
        'Connect a number',
        'Invite your team',
        'Create departments',
        'Reply to a customer and close the first case',
      ])
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Inbox' })
      .click()
    await page
      .getByRole('status')
      .getByRole('link', { name: 'Connect a number' })
      .click()
    await page.getByRole('button', { name: 'Add a test number' }).click()
    await steps
      .getByRole('link', { name: 'Connect a number' })
      .waitFor({ state: 'detached' })
    const customer = page.getByRole('form', { name: 'Write as the customer' })
    await customer
      .getByRole('textbox', { name: 'Name' })
      .fill('Primeira Cliente')
    await customer
      .getByRole('textbox', { name: 'Text' })
      .fill('Vocês abrem hoje?')
    await customer.getByRole('button', { name: 'Send as the customer' }).click()
    await customer.getByRole('link', { name: 'Open the inbox' }).click()
    await row(page, 'Primeira Cliente').click()
    await log(page).getByText('Vocês abrem hoje?').waitFor()
    await message(page).fill('Sim, até as 20 h.')
    await message(page).press('Enter')
    await log(page)
      .getByRole('article', { name: /^You, .*(Sent|Delivered|Read)$/ })
      .filter({ hasText: 'Sim, até as 20 h.' })
      .waitFor()
    await page.getByRole('button', { name: 'Close case' }).click()
    await page
      .getByRole('dialog', { name: 'Close case' })
      .getByRole('button', { name: 'Close case', exact: true })
      .click()
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Settings' })
      .click()
    await expect
      .poll(() => steps.getByRole('link').allTextContents())
      .toEqual(['Invite your team', 'Create departments'])
    await steps.getByRole('button', { name: 'Hide' }).click()
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Company' }).waitFor()
    await expect.poll(() => steps.count()).toBe(0)
    expect(desk.problems).toEqual([])
  })

  it('leads from an empty installation to the first answered customer on WhatsApp and replaces a rejected token', async () => {
    simulator = await Simulator.start()
    desk = await Desk.start({
      engine,
      demo: false,
      flags: ['--whatsapp-base-url', simulator.url],
    })
    const { page } = await desk.page({}, /status of (400|409|429) .*\/channels/)
    await setUp(desk, page)
    await page
      .getByRole('link', {
        name: 'Connect through the WhatsApp Business Platform',
      })
      .click()
    await page
      .getByRole('textbox', { name: 'Phone number ID' })
      .fill(simulator.credential('phone_number_id'))
    await page
      .getByRole('textbox', { name: 'WhatsApp Business Account ID' })
      .fill(simulator.credential('waba_id'))
    await page
      .getByRole('textbox', { name: 'App secret' })
      .fill(simulator.credential('app_secret'))
    await page.getByRole('textbox', { name: 'Access token' }).fill('mistyped')
    await page.getByRole('textbox', { name: 'Name' }).fill('Balcão')
    await page.getByRole('button', { name: 'Connect number' }).click()
    await expect
      .poll(() =>
        page
          .getByRole('textbox', { name: 'Access token' })
          .getAttribute('aria-invalid'),
      )
      .toBe('true')
    await page
      .getByRole('textbox', { name: 'Access token' })
      .fill(simulator.credential('token'))
    await page.getByRole('button', { name: 'Connect number' }).click()

    await page.getByText(/^The number is connected\./).waitFor()
    const callback = page.getByRole('group', { name: 'Callback address' })
    await expect
      .poll(() => callback.getByRole('textbox').inputValue())
      .toMatch(new RegExp(`^${desk.url}/channels/[0-9a-f-]{36}/whatsapp$`))
    await callback.getByRole('button', { name: 'Copy' }).click()
    const token = await page
      .getByRole('group', { name: 'Verify token' })
      .getByRole('textbox')
      .inputValue()
    const address = await callback.getByRole('textbox').inputValue()
    expect(
      await (
        await fetch(
          `${address}?hub.mode=subscribe&hub.challenge=1234&hub.verify_token=${token}`,
        )
      ).text(),
    ).toBe('1234')
    await page.getByRole('button', { name: 'Test connection' }).click()
    await page.getByText('The test passed.').waitFor()
    await page
      .getByRole('region', { name: 'Templates' })
      .getByRole('link', { name: 'Manage templates' })
      .click()
    await page.getByRole('button', { name: 'Sync now' }).click()
    const hello = page
      .getByRole('list', { name: 'Templates' })
      .getByRole('link', { name: /^hello_world/ })
    await hello
      .filter({ hasText: 'American English · Utility' })
      .filter({ hasText: 'Approved' })
      .waitFor()
    await page.getByRole('button', { name: 'Sync now' }).click()
    await page
      .getByText(
        /^Templates were synced less than a minute ago\. Try again in \d+ s\.$/,
      )
      .waitFor()
    await hello.click()
    await dialog(page, 'hello_world')
      .getByRole('region', { name: 'Preview' })
      .getByText(/^Welcome and congratulations/)
      .waitFor()
    await dialog(page, 'hello_world')
      .getByRole('button', { name: 'Dismiss' })
      .click()
    await page.getByRole('link', { name: 'Balcão', exact: true }).click()
    const signature = page
      .getByRole('region', { name: 'Signature' })
      .getByRole('switch', {
        name: 'Sign every message with the person’s name',
      })
    await signature.click({ force: true })
    await expect.poll(() => signature.isChecked()).toBe(true)

    await simulator.customer('5511955550001', 'Otto', 'Tem pão de queijo?')
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Inbox' })
      .click()
    await row(page, 'Otto').click()
    await log(page).getByText('Tem pão de queijo?').waitFor()
    await message(page).fill('Tem, quentinho!')
    await message(page).press('Enter')
    await log(page)
      .getByRole('article', { name: /^You, .*(Sent|Delivered|Read)$/ })
      .filter({ hasText: 'quentinho' })
      .waitFor()
    await expect
      .poll(() => simulator?.received('5511955550001'))
      .toContain('*Rita Lopes:*\\nTem, quentinho!')
    await expect
      .poll(() =>
        page.getByRole('switch', { name: 'Sign with my name' }).isDisabled(),
      )
      .toBe(true)

    // Sending a message with an unknown outcome again asks for confirmation.
    await simulator.control('POST', 'faults', {
      preset: 'reset_before_accept',
      next: 1,
    })
    await message(page).fill('Separo um?')
    await message(page).press('Enter')
    const unsure = log(page)
      .getByRole('article', { name: /^You, .*Failed$/ })
      .filter({ hasText: 'Separo um?' })
    await unsure
      .getByRole('button', { name: 'Send again', exact: true })
      .click()
    const question = page.getByRole('alertdialog', {
      name: 'It may have arrived. Send again?',
      exact: true,
    })
    await question.getByRole('button', { name: 'Cancel', exact: true }).click()
    expect(await simulator.received('5511955550001')).not.toContain(
      'Separo um?',
    )
    await unsure
      .getByRole('button', { name: 'Send again', exact: true })
      .click()
    await question
      .getByRole('button', { name: 'Send again', exact: true })
      .click()
    await log(page)
      .getByRole('article', { name: /^You, .*(Sent|Delivered|Read)$/ })
      .filter({ hasText: 'Separo um?' })
      .waitFor()
    await row(page, 'Otto')
      .getByRole('img', {
        name: /^(Sent|Delivered|Read)$/,
        includeHidden: true,
      })
      .waitFor()

    // A customer who never wrote gets a template.
    await page
      .getByRole('button', { name: 'New conversation', exact: true })
      .first()
      .click()
    await dialog(page, 'New conversation')
      .getByRole('combobox', { name: 'Contact or phone' })
      .fill('+55 11 95555-0002')
    await dialog(page, 'New conversation')
      .getByRole('textbox', { name: 'Name', exact: true })
      .fill('Dora')
    await dialog(page, 'New conversation')
      .getByRole('button', { name: 'Start', exact: true })
      .click()
    await page
      .getByRole('group', { name: 'The 24-hour window is closed', exact: true })
      .getByRole('button', { name: 'Choose template', exact: true })
      .click()
    await dialog(page, 'Send template')
      .getByRole('button', { name: /^hello_world/ })
      .click()
    await dialog(page, 'Send template')
      .getByRole('button', { name: 'Send template', exact: true })
      .click()
    await log(page)
      .getByRole('article', { name: /^You, .*(Sent|Delivered|Read)$/ })
      .filter({ hasText: 'Welcome and congratulations' })
      .waitFor()
    await page.getByRole('link', { name: /^All open/ }).click()
    await row(page, 'Otto').click()
    await message(page).waitFor()

    await simulator.control('POST', 'pushes', {
      field: 'account_update',
      value: {
        event: 'DISABLED_UPDATE',
        ban_info: {
          waba_ban_state: 'SCHEDULE_FOR_DISABLE',
          waba_ban_date: 'April 3, 2027',
        },
      },
    })
    await expect
      .poll(async () => {
        await page.goto(`${desk?.url}/settings/channels`)
        return page.getByRole('list', { name: 'Numbers' }).textContent()
      })
      .toMatch(
        /Meta will disable this WhatsApp account \(April 3, 2027\)\..*Needs attention/,
      )
    await page.getByRole('link', { name: /Balcão/ }).click()
    await page
      .getByRole('region', { name: 'Status' })
      .getByText(/^Meta will disable this WhatsApp account/)
      .waitFor()
    await page.goBack()
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Inbox' })
      .click()
    await page.getByRole('link', { name: /^All open/ }).click()
    await row(page, 'Otto').click()
    await message(page).waitFor()

    await simulator.control('PUT', 'token', {
      token: simulator.credential('token'),
      state: 'revoked',
    })
    await message(page).fill('Quer reservar?')
    const accepted = page.waitForResponse(
      (answer) =>
        answer.request().method() === 'POST' &&
        answer.url().endsWith('/messages'),
    )
    await message(page).press('Enter')
    await accepted // leaving the page early would defer the request
    await expect
      .poll(async () => {
        await page.goto(`${desk?.url}/settings/channels`)
        return page.getByRole('list', { name: 'Numbers' }).textContent()
      })
      .toContain('Disconnected')
    await page.getByRole('link', { name: /Balcão/ }).click()
    await page.getByRole('button', { name: 'Test connection' }).click()
    await page.getByText('The test failed.').waitFor()
    await simulator.control('PUT', 'token', {
      token: 'new-token',
      state: 'valid',
    })
    await page.getByRole('textbox', { name: 'Access token' }).fill('new-token')
    await page.getByRole('button', { name: 'Save and connect' }).click()
    await page.getByText('Messages are sent and received.').waitFor()
    await expect
      .poll(() => simulator?.received('5511955550001'))
      .toContain('Quer reservar?')

    await page.getByRole('button', { name: 'Disconnect' }).click()
    await page
      .getByRole('alertdialog', { name: 'Disconnect Balcão?' })
      .getByRole('button', { name: 'Disconnect' })
      .click()
    await page.getByRole('button', { name: 'Connect again' }).click()
    await page.getByText('Messages are sent and received.').waitFor()
    await page
      .getByRole('textbox', { name: 'Name', exact: true })
      .fill('Balcão da frente')
    await page
      .getByRole('region', { name: 'Name' })
      .getByRole('button', { name: 'Save' })
      .click()
    await page
      .getByRole('heading', { level: 1, name: 'Balcão da frente' })
      .waitFor()
    const shared = page
      .getByRole('region', { name: 'At Meta' })
      .getByRole('switch', {
        name: 'The number stays in the WhatsApp Business app',
      })
    await shared.click({ force: true })
    await expect.poll(() => shared.isChecked()).toBe(true)
    const renew = page.getByRole('region', { name: 'New access token' })
    await renew.getByRole('button', { name: 'Advanced' }).click()
    await renew
      .getByRole('textbox', { name: 'Verify token' })
      .fill('a token of our own')
    await renew.getByRole('button', { name: 'Save and connect' }).click()
    await expect
      .poll(() =>
        page
          .getByRole('group', { name: 'Verify token' })
          .getByRole('textbox')
          .inputValue(),
      )
      .toBe('a token of our own')
    expect(desk.problems).toEqual([])
  })

  it('makes a number private and chooses its viewers', async () => {
    desk = await Desk.start({ engine, demo: false })
    const { page } = await desk.page()
    await setUp(desk, page)
    await page.getByRole('button', { name: 'Add a test number' }).click()
    await page.getByRole('list', { name: 'Numbers' }).getByRole('link').click()
    const seen = page.getByRole('region', { name: 'Who can see it' })
    await seen
      .getByRole('switch', { name: 'Private number' })
      .click({ force: true })
    await seen.getByText('Rita Lopes').waitFor()
    await seen.getByRole('button', { name: 'Save' }).click()
    await seen.getByText('Saved').waitFor()
    await page.getByRole('link', { name: 'Channels' }).last().click()
    await page
      .getByRole('list', { name: 'Numbers' })
      .getByText('Private')
      .waitFor()
    expect(desk.problems).toEqual([])
  })
})
