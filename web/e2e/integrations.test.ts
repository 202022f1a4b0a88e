import { createHmac } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Desk } from './desk'
import { axe, dialog } from './parts'
import { receiver } from './receiver'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start({
    flags: ['--webhook-allow-insecure', '--webhook-retries', '50ms'],
  })
})
afterAll(() => desk.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

async function settings(
  page: Page,
  path: string,
  heading: string,
): Promise<void> {
  await page.goto(`${desk.url}/settings/${path}`)
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
}

/** me calls the API with a key and returns the status and error code. */
async function me(key: string): Promise<string> {
  const answer = await fetch(`${desk.url}/v1/me`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  return answer.ok
    ? '200'
    : `${answer.status} ${((await answer.json()) as { code: string }).code}`
}

async function issue(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'New key' }).click()
  const form = dialog(page, 'New key')
  await form.getByRole('textbox', { name: 'Name' }).fill(name)
  await form.getByRole('checkbox', { name: 'contacts:read' }).check()
  await form.getByRole('checkbox', { name: 'Boards', exact: true }).check()
  await expect
    .poll(() =>
      form.getByRole('checkbox', { name: 'write', exact: true }).isChecked(),
    )
    .toBe(true)
  await form.getByRole('button', { name: 'Create key' }).click()
  const shown = dialog(page, 'Copy this key now')
  const key = await shown.locator('code').innerText()
  await shown.getByRole('button', { name: 'Done' }).click()
  return key
}

it('shows the integration as sender and edits who a key sends as', async () => {
  const key = (await desk.call('POST', '/keys', {
    name: 'Order bot',
    scopes: ['messages:send'],
    user_id: desk.company.user,
  })) as { id: string; key: string }
  const { conversation } = (await desk.customer(
    '+5511955554100',
    'Clara Nunes',
    'Cadê meu pedido?',
  )) as { conversation: string }
  const say = async (text: string) => {
    const answer = await fetch(
      `${desk.url}/v1/conversations/${conversation}/messages`,
      {
        method: 'POST',
        headers: {
          Authorization: `Bearer ${key.key}`,
          'Content-Type': 'application/json',
        },
        body: JSON.stringify({ client_id: crypto.randomUUID(), text }),
      },
    )
    expect(answer.status).toBe(201)
  }
  const { page, context } = await desk.page()
  await desk.session(page)
  await settings(page, 'keys', 'API keys')
  const list = page.getByRole('list', { name: 'API keys' })
  await list.getByRole('button', { name: 'Edit Order bot' }).click()
  const form = dialog(page, 'Edit Order bot')
  await form.getByRole('textbox', { name: 'Name' }).fill('Delivery bot')
  await form
    .getByRole('combobox', { name: 'Messages are sent as' })
    .selectOption('The integration')
  await axe(page, 'editing a key')
  await form.getByRole('button', { name: 'Save' }).click()
  await list
    .getByRole('listitem')
    .filter({ hasText: 'Delivery bot' })
    .getByText(/sends as the integration/)
    .waitFor()

  await page.getByRole('button', { name: 'New key' }).click()
  const made = dialog(page, 'New key')
  await made.getByRole('checkbox', { name: 'keys:manage' }).waitFor()
  await made.getByRole('button', { name: 'Cancel' }).click()

  await say('Saiu para entrega.')
  await page.goto(`${desk.url}/inbox/open/${conversation}`)
  const bubble = page
    .getByRole('log')
    .getByRole('article')
    .filter({ hasText: 'Saiu para entrega.' })
  await bubble.getByText('Delivery bot', { exact: true }).waitFor()
  await desk.call('PATCH', `/keys/${key.id}`, { acts_as: 'person' })
  await say('Chega até as 18h.')
  await page
    .getByRole('log')
    .getByRole('article')
    .filter({ hasText: 'Chega até as 18h.' })
    .getByText('You · Delivery bot', { exact: true })
    .waitFor()
  await context.close()
})

it('creates, rotates with an overlap, and revokes a key', async () => {
  const { page, context } = await desk.page()
  await desk.session(page)
  await settings(page, 'keys', 'API keys')
  const key = await issue(page, 'Shop')
  expect(key).toMatch(/^rcd_/)
  await expect.poll(() => me(key)).toBe('200')
  const contacts = await fetch(`${desk.url}/v1/contacts`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  expect(contacts.status).toBe(200)
  const team = await fetch(`${desk.url}/v1/team`, {
    headers: { Authorization: `Bearer ${key}` },
  })
  expect(team.status).toBe(403)
  const row = page
    .getByRole('list', { name: 'API keys' })
    .getByRole('listitem')
    .filter({ hasText: 'Shop' })
  await row.getByText('contacts:read, read, write').waitFor()

  await row.getByRole('button', { name: 'Rotate' }).click()
  const rotate = dialog(page, 'Rotate Shop')
  await rotate
    .getByRole('combobox', { name: 'Old key stays valid' })
    .selectOption('3600')
  await rotate.getByRole('button', { name: 'Rotate', exact: true }).click()
  const shown = dialog(page, 'Copy this key now')
  const second = await shown.locator('code').innerText()
  await shown.getByRole('button', { name: 'Done' }).click()
  expect([await me(key), await me(second)]).toEqual(['200', '200'])

  await row.getByRole('button', { name: 'Revoke' }).click()
  const ask = page.getByRole('alertdialog', { name: 'Revoke Shop?' })
  await ask.getByRole('button', { name: 'Revoke', exact: true }).click()
  await row.waitFor({ state: 'detached' })
  expect([await me(key), await me(second)]).toEqual([
    '401 key_revoked',
    '401 key_revoked',
  ])
  await page.getByRole('switch', { name: 'Show revoked keys' }).check()
  await row.getByText(/^Revoked/).waitFor()
  await context.close()
})

it('limits a key to a board and a day, and lets it act as a colleague', async () => {
  const { page, context } = await desk.page()
  await desk.session(page)
  await settings(page, 'keys', 'API keys')
  await page.getByRole('button', { name: 'New key' }).click()
  const form = dialog(page, 'New key')
  await form.getByRole('textbox', { name: 'Name' }).fill('Board robot')
  const { scopes } = await page.evaluate(
    async (base) =>
      (await (await fetch(`${base}/v1/session`)).json()) as {
        scopes: string[]
      },
    desk.url,
  )
  for (const scope of scopes)
    expect([
      scope,
      await form.getByRole('checkbox', { name: scope, exact: true }).count(),
    ]).toEqual([scope, 1])
  await form.getByRole('checkbox', { name: 'read', exact: true }).check()
  await form.getByRole('combobox', { name: 'Expires' }).selectOption('30')
  await form
    .getByRole('combobox', { name: 'Acts as' })
    .selectOption(desk.colleague)
  await form.getByRole('combobox', { name: 'Boards' }).click()
  await page
    .getByRole('listbox', { name: 'Boards' })
    .getByRole('option')
    .first()
    .click()
  await page.keyboard.press('Escape')
  await form.getByRole('textbox', { name: 'Requests per second' }).fill('5')
  await form.getByRole('textbox', { name: 'Burst' }).fill('7')
  await form.getByRole('button', { name: 'Create key' }).click()
  const key = await dialog(page, 'Copy this key now')
    .locator('code')
    .innerText()
  const identity = (await (
    await fetch(`${desk.url}/v1/me`, {
      headers: { Authorization: `Bearer ${key}` },
    })
  ).json()) as {
    user: { id: string }
    integration: { boards: string[]; expires_at: string }
  }
  expect(identity.user.id).toBe(desk.colleague)
  expect(identity.integration.boards).toHaveLength(1)
  const issued = (
    (await desk.call('GET', '/keys')).data as { name: string; rate: object }[]
  ).find((one) => one.name === 'Board robot')
  expect(issued?.rate).toEqual({ per_second: 5, burst: 7 })
  expect(Date.parse(identity.integration.expires_at)).toBeGreaterThan(
    Date.now() + 29 * 86_400_000,
  )
  await context.close()
})

it('registers a webhook, sends a test, shows the body and delivers again', async () => {
  const hook = await receiver()
  const { page, context } = await desk.page()
  await desk.session(page)
  await settings(page, 'webhooks', 'Webhooks')
  await page.getByRole('button', { name: 'New webhook' }).click()
  const form = dialog(page, 'New webhook')
  await form.getByRole('textbox', { name: 'Name' }).fill('Shop')
  await form.getByRole('textbox', { name: 'Address' }).fill(hook.url)
  await form.getByRole('checkbox', { name: 'message.received' }).check()
  await form.getByRole('button', { name: 'Register' }).click()
  const shown = dialog(page, 'Copy this secret now')
  const firstSecret = await shown.locator('code').innerText()
  expect(firstSecret).toMatch(/^whsec_/)
  await shown.getByRole('button', { name: 'Done' }).click()

  const before = page.getByRole('region', { name: 'Shop', exact: true })
  await before.getByRole('button', { name: 'Edit' }).click()
  const edit = dialog(page, 'Edit webhook')
  await edit.getByRole('textbox', { name: 'Name' }).fill('Orders')
  await edit.getByRole('checkbox', { name: 'attendance.closed' }).check()
  await edit.getByRole('button', { name: 'Save' }).click()
  const item = page.getByRole('region', { name: 'Orders', exact: true })
  await item
    .getByRole('list', { name: 'Events' })
    .getByText('attendance.closed')
    .waitFor()
  await item.getByRole('button', { name: 'New secret' }).click()
  await page
    .getByRole('alertdialog', { name: 'Replace the secret?' })
    .getByRole('button', { name: 'New secret' })
    .click()
  const secret = await shown.locator('code').innerText()
  expect(secret).not.toBe(firstSecret)
  await shown.getByRole('button', { name: 'Done' }).click()
  await item.getByRole('button', { name: 'Send test' }).click()
  await item.getByText('The test arrived.').waitFor()
  await item.getByText(/^Response 204 · \d+ ms$/).waitFor()
  const first = await hook.next()
  expect((JSON.parse(first.body) as { type: string }).type).toBe('webhook.test')
  const signed = `${String(first.headers['webhook-id'])}.${String(first.headers['webhook-timestamp'])}.${first.body}`
  expect(first.headers['webhook-signature']).toContain(
    `v1,${createHmac(
      'sha256',
      Buffer.from(secret.slice('whsec_'.length), 'base64'),
    )
      .update(signed)
      .digest('base64')}`,
  )

  await item.getByRole('button', { name: 'Show deliveries' }).click()
  const table = item.getByRole('table', { name: 'Deliveries' })
  const row = table.getByRole('row').filter({ hasText: 'webhook.test' }).first()
  await row.getByRole('button', { name: 'Details' }).click()
  await table
    .getByRole('list', { name: 'Attempts' })
    .getByText(/^Response 204/)
    .waitFor()
  expect(
    JSON.parse(await table.getByRole('region', { name: 'Body' }).innerText()),
  ).toEqual(JSON.parse(first.body))
  await row.getByRole('button', { name: 'Deliver again' }).click()
  const again = await hook.next()
  expect(again.body).toBe(first.body)
  await table
    .getByRole('row')
    .filter({ hasText: 'webhook.test' })
    .nth(1)
    .waitFor()

  await desk.customer('+5511955552001', 'Nina Reis', 'Olá')
  expect((JSON.parse((await hook.next()).body) as { type: string }).type).toBe(
    'message.received',
  )

  hook.state.status = 500
  await item.getByRole('button', { name: 'Send test' }).click()
  await item.getByText('The test failed.').waitFor()
  await item.getByText(/^Response 500/).waitFor()
  await item.getByRole('button', { name: 'Delete' }).click()
  await page
    .getByRole('alertdialog', { name: 'Delete Orders?' })
    .getByRole('button', { name: 'Delete' })
    .click()
  await item.waitFor({ state: 'detached' })
  await context.close()
  await hook.stop()
})

it('shows a webhook that was disabled after 10 failures and reactivates it', async () => {
  const hook = await receiver()
  hook.state.status = 500
  const made = await desk.call('POST', '/integrations/webhooks', {
    name: 'Failing',
    url: hook.url,
    events: ['message.received'],
  })
  for (let n = 0; n < 10; n++) {
    await desk.customer(
      `+55119555530${String(n).padStart(2, '0')}`,
      `Customer ${n}`,
      'Oi',
    )
    await hook.next()
  }
  const { page, context } = await desk.page()
  await desk.signIn(page)
  await expect
    .poll(
      async () =>
        (
          (await desk.call('GET', '/integrations/webhooks')).data as {
            id: string
            active: boolean
          }[]
        ).find(({ id }) => id === made.id)?.active,
    )
    .toBe(false)
  await settings(page, 'webhooks', 'Webhooks')
  const item = page.getByRole('region', { name: 'Failing', exact: true })
  const alert = item.getByRole('alert')
  await alert.getByText('Disabled after 10 failures').waitFor()
  hook.state.status = 204
  await alert.getByRole('button', { name: 'Reactivate', exact: true }).click()
  await alert.waitFor({ state: 'detached' })
  await item.getByText('Active', { exact: true }).waitFor()
  await item.getByRole('button', { name: 'Turn off' }).click()
  await page
    .getByRole('alertdialog', { name: 'Turn Failing off?' })
    .getByRole('button', { name: 'Turn off' })
    .click()
  await alert.getByText('This webhook is off').waitFor()
  await context.close()
  await hook.stop()
})

it('delivers the events that a webhook missed, in order', async () => {
  const hook = await receiver()
  const text = async () =>
    (
      JSON.parse((await hook.next()).body) as {
        data: { message: { text: string } }
      }
    ).data.message.text
  await desk.call('POST', '/integrations/webhooks', {
    name: 'Stock',
    url: hook.url,
    events: ['message.received'],
  })
  const { page, context } = await desk.page()
  await desk.session(page)
  await settings(page, 'webhooks', 'Webhooks')
  const item = page.getByRole('region', { name: 'Stock', exact: true })
  const alert = item.getByRole('alert')
  const turnOff = async () => {
    await item.getByRole('button', { name: 'Turn off' }).click()
    await page
      .getByRole('alertdialog', { name: 'Turn Stock off?' })
      .getByRole('button', { name: 'Turn off' })
      .click()
    await alert.getByText('This webhook is off').waitFor()
  }
  const say = (words: string) =>
    desk.customer('+5511955554200', 'Lívia Prata', words)
  await say('before')
  expect(await text()).toBe('before')
  await turnOff()
  for (const words of ['first', 'second', 'third']) await say(words)
  await axe(page, 'a webhook that is off')
  await alert
    .getByRole('button', { name: 'Reactivate and deliver missed events' })
    .click()
  await item.getByText('Active', { exact: true }).waitFor()
  await alert.waitFor({ state: 'detached' })
  expect([await text(), await text(), await text()]).toEqual([
    'first',
    'second',
    'third',
  ])

  await turnOff()
  await say('nobody hears this')
  await alert.getByRole('button', { name: 'Reactivate', exact: true }).click()
  await item.getByText('Active', { exact: true }).waitFor()
  await say('after')
  expect(await text()).toBe('after')
  await context.close()
  await hook.stop()
})

it('hides keys and webhooks from agents', async () => {
  const agent =
    (
      (await desk.call('GET', '/team')).data as { id: string; role: string }[]
    ).find(({ role }) => role === 'agent')?.id ?? ''
  const { page, context } = await desk.page()
  await desk.signInAs(page, agent)
  for (const path of ['keys', 'webhooks']) {
    await page.goto(`${desk.url}/settings/${path}`)
    const nav = page.getByRole('navigation', { name: 'Settings' })
    await nav.getByRole('link', { name: 'Profile' }).waitFor()
    await expect
      .poll(() => nav.getByRole('link', { name: /API keys|Webhooks/ }).count())
      .toBe(0)
    await expect
      .poll(() =>
        page.getByRole('heading', { name: /API keys|Webhooks/ }).count(),
      )
      .toBe(0)
  }
  await context.close()
})

it('keys and webhooks have no accessibility violations on a desktop and a phone', async () => {
  const made = await desk.call('POST', '/integrations/webhooks', {
    name: 'Looked at',
    url: 'http://127.0.0.1:9/',
    events: ['message.received', 'attendance.closed'],
  })
  for (const small of [false, true]) {
    const { page, context } = await desk.page(
      small
        ? {
            viewport: { width: 390, height: 844 },
            hasTouch: true,
            isMobile: true,
          }
        : {},
    )
    await desk.session(page)
    await settings(page, 'keys', 'API keys')
    await page.getByRole('list', { name: 'API keys' }).waitFor()
    await axe(page, 'keys')
    await page.getByRole('button', { name: 'New key' }).click()
    await dialog(page, 'New key').getByRole('checkbox').first().waitFor()
    await axe(page, 'new key')
    await settings(page, 'webhooks', 'Webhooks')
    const item = page.getByRole('region', { name: 'Looked at', exact: true })
    await item.getByRole('button', { name: 'Send test' }).click()
    await item.getByText('The test failed.').waitFor()
    await item.getByRole('button', { name: 'Show deliveries' }).click()
    await item.getByRole('button', { name: 'Details' }).first().click()
    await item.getByRole('region', { name: 'Body' }).waitFor()
    await axe(page, 'webhooks')
    await expect
      .poll(() =>
        page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
      )
      .toBe(true)
    await context.close()
  }
  await desk.call('DELETE', `/integrations/webhooks/${String(made.id)}`)
})

it.each([
  ['pt-BR', 'Chaves de API'],
  ['es', 'Claves de API'],
])('has all texts in %s', async (locale, title) => {
  const { page, context } = await desk.page({ locale })
  await page.goto(`${desk.url}/`)
  await page.locator('input[type=email]').fill(desk.demo.login.email)
  await page.locator('input[type=password]').fill(desk.demo.login.password)
  await page.locator('button[type=submit]').click()
  await page.getByRole('listbox').first().waitFor()
  await settings(page, 'keys', title)
  await page.getByRole('main').getByRole('button').first().click()
  await page.getByRole('dialog').getByRole('checkbox').first().waitFor()
  await settings(page, 'webhooks', 'Webhooks')
  for (const text of [await page.getByRole('main').innerText()])
    expect(text).not.toMatch(
      /\b(apiKeys|scope|scopeGroup|webhooks|deliveries|settings|secret)\.\w/,
    )
  await context.close()
})
