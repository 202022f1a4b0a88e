import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { Counter, form } from './counter'
import type { Desk } from './desk'
import { axe, dialog, hasFocus, log, message, open, row, speak } from './parts'

let counter: Counter
let desk: Desk
let channel: string
beforeAll(async () => {
  counter = await Counter.start()
  desk = counter.desk
  const { data } = (await desk.call('GET', '/channels')) as {
    data: { id: string; name: string }[]
  }
  channel = data.find((one) => one.name === 'Balcão')?.id ?? ''
  await counter.simulator.control('POST', 'templates', {
    name: 'podemos_continuar',
    language: 'pt_BR',
    category: 'UTILITY',
    body: 'Podemos continuar o atendimento {{1}}?',
    components: [
      { type: 'BODY', text: 'Podemos continuar o atendimento {{1}}?' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'QUICK_REPLY', text: 'Sim' },
          { type: 'QUICK_REPLY', text: 'Não' },
        ],
      },
    ],
  })
  await desk.call('POST', `/channels/${channel}/templates/sync`)
  await vi.waitFor(
    async () =>
      expect(
        JSON.stringify(
          await desk.call('GET', `/channels/${channel}/templates`),
        ),
      ).toContain('podemos_continuar'),
    { timeout: 90_000 },
  )
})
afterAll(() => counter.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

const hold = 'Send when the customer answers'
const waiting = 'Waiting for the customer’s answer'
const closed = (page: Page) =>
  form(page).getByRole('group', { name: 'The 24-hour window is closed' })
const bubble = (page: Page, text: string) =>
  log(page).getByRole('article').filter({ hasText: text })
const held = (page: Page, text: string) =>
  log(page)
    .getByRole('article', { name: new RegExp(`${waiting}$`) })
    .filter({ hasText: text })

/** wroteYesterday opens the conversation of a customer whose 24-hour window is closed. */
async function wroteYesterday(page: Page, customer: string, name: string) {
  await counter.simulator.control('POST', 'messages', {
    customer,
    name,
    text: `Aqui é ${name}`,
    at: new Date(Date.now() - 25 * 3_600_000).toISOString(),
  })
  await counter.simulator.control('POST', 'drain')
  await open(page, name)
  await closed(page).waitFor()
}

/** menu opens the menu of a message with the keyboard. */
async function menu(page: Page, text: string, action: string) {
  await bubble(page, text)
    .getByRole('button', { name: 'Message actions' })
    .press('Enter')
  await page.getByRole('menuitem', { name: action, exact: true }).press('Enter')
}

/** sent returns what a customer's phone received, as text. */
const sent = async (customer: string) =>
  JSON.stringify(await counter.ledger(customer))

it('explains the reopening template and sets it in the settings of the number', async () => {
  const { page, context } = await desk.page()
  await desk.signIn(page)
  await wroteYesterday(page, '5511955550301', 'Abel Luz')
  expect(await message(page).count()).toBe(0)
  await closed(page).getByRole('button', { name: 'Choose template' }).waitFor()
  await axe(page, 'a closed window without a reopening template')

  // Who cannot change it is told whom to ask.
  const agent = await desk.page()
  await desk.signInAs(agent.page, desk.colleague)
  await agent.page.goto(page.url())
  const group = closed(agent.page)
  await group.getByText(/this number has no reopening template/).waitFor()
  const link = group.getByRole('link')
  if ((await link.count()) === 0)
    await group.getByText('Ask an administrator to choose one.').waitFor()

  await closed(page).getByRole('link', { name: 'Choose one' }).click()
  const section = page.getByRole('region', { name: 'Reopening template' })
  const choice = section.getByRole('combobox', { name: 'Reopening template' })
  expect(await choice.textContent()).not.toContain('pedido_enviado') // it has two gaps and a picture
  await choice.selectOption('podemos_continuar (pt_BR)')
  await section.getByText('Saved').waitFor()
  const preview = section.getByRole('group', { name: 'Preview' })
  await preview.getByText('Podemos continuar o atendimento ATD-').waitFor()
  await preview.getByText('“Não”').waitFor()
  await axe(page, 'the reopening template')
  for (const [language, name] of [
    ['pt-BR', 'Modelo de reabertura'],
    ['es', 'Plantilla de reapertura'],
    ['en', 'Reopening template'],
  ] as const) {
    await speak(page, language)
    await page.reload()
    await page.getByRole('region', { name, exact: true }).waitFor()
  }
  await page.goBack()
  await form(page).getByRole('textbox', { name: 'Message' }).waitFor()
  await context.close()
})

it('holds a reply until the customer answers, live for the team', async () => {
  const customer = '5511955550302'
  const { page } = await desk.page()
  await desk.signIn(page)
  await wroteYesterday(page, customer, 'Bia Reis')
  const other = await desk.page()
  await desk.signInAs(other.page, desk.colleague)
  await other.page.goto(page.url())
  await closed(other.page).waitFor()

  await message(page).click()
  await message(page).pressSequentially('Chegou seu pedido')
  await axe(page, 'a composer that holds')
  await form(page).getByRole('button', { name: hold, exact: true }).click()
  await held(page, 'Chegou seu pedido').waitFor()
  await hasFocus(message(page))
  await message(page).fill('Pode buscar hoje')
  await message(page).press('Enter')
  await held(page, 'Pode buscar hoje').waitFor()
  await held(other.page, 'Pode buscar hoje').waitFor()
  await row(page, 'Bia Reis')
    .getByRole('img', { name: waiting, includeHidden: true })
    .waitFor()
  await axe(page, 'held messages')

  // Edited with the keyboard: Escape leaves it as it was.
  await menu(page, 'Chegou seu pedido', 'Edit')
  const editor = log(page).getByRole('textbox', { name: 'Edit message' })
  await hasFocus(editor)
  await editor.fill('Nada disso')
  await editor.press('Escape')
  await held(page, 'Chegou seu pedido').waitFor()
  await menu(page, 'Chegou seu pedido', 'Edit')
  await editor.fill('Chegou seu pedido, Bia')
  await editor.press('Control+Enter')
  await held(page, 'Chegou seu pedido, Bia').waitFor()
  await held(other.page, 'Chegou seu pedido, Bia').waitFor()

  await expect.poll(() => sent(customer)).toContain('podemos_continuar')
  expect(await sent(customer)).not.toContain('Chegou')
  await counter.simulator.customer(customer, 'Bia Reis', 'Oi, voltei')
  for (const one of [page, other.page])
    for (const text of ['Chegou seu pedido, Bia', 'Pode buscar hoje'])
      await log(one)
        .getByRole('article', { name: /(Sent|Delivered|Read)$/ })
        .filter({ hasText: text })
        .waitFor()
  const texts = (await counter.ledger(customer))
    .filter((one) => one.type === 'text')
    .map((one) => one.body.text?.body)
  expect(texts).toEqual([
    expect.stringContaining('Chegou seu pedido, Bia'),
    expect.stringContaining('Pode buscar hoje'),
  ])
  await form(page).getByRole('button', { name: 'Send', exact: true }).waitFor()
})

it('cancels held messages, also by the customer’s no, and writes them again', async () => {
  const customer = '5511955550303'
  const { page } = await desk.page()
  await desk.signIn(page)
  await wroteYesterday(page, customer, 'Caio Melo')
  for (const text of ['Primeira', 'Segunda']) {
    await message(page).fill(text)
    await message(page).press('Enter')
    await held(page, text).waitFor()
  }
  await menu(page, 'Primeira', 'Cancel')
  await bubble(page, 'Primeira')
    .getByRole('button', { name: 'Write again' })
    .waitFor()

  let template: string | undefined
  await expect
    .poll(async () => {
      const found = (await counter.ledger(customer)) as unknown as {
        type: string
        id: string
      }[]
      template = found.find((one) => one.type === 'template')?.id
      return template
    })
    .toBeTruthy()
  await counter.simulator.control('POST', 'messages', {
    customer,
    name: 'Caio Melo',
    type: 'button',
    payload: { payload: 'no', text: 'Não' },
    reply_to: template,
  })
  const failed = log(page)
    .getByRole('article', { name: /Failed$/ })
    .filter({ hasText: 'Segunda' })
  await failed.getByRole('button', { name: 'Write again' }).click()
  await hasFocus(message(page))
  await expect.poll(() => message(page).inputValue()).toContain('Segunda')
  await message(page).press('Enter') // the answer opened the window
  await expect.poll(() => sent(customer)).toContain('Segunda')
  expect(await sent(customer)).not.toContain('Primeira')
})

it('holds files, voice messages and what was on its way when the window closed', async () => {
  const customer = '5511955550304'
  const { page } = await desk.page({}, /409/)
  await desk.signIn(page)
  await wroteYesterday(page, customer, 'Davi Paz')
  await form(page)
    .locator('input[type=file]')
    .setInputFiles({
      name: 'lista.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF-1.4\n%%EOF'),
    })
  await message(page).fill('A lista')
  await form(page).getByRole('button', { name: hold, exact: true }).click()
  await held(page, 'A lista').waitFor()
  await form(page).getByRole('button', { name: 'Record voice message' }).click()
  await form(page)
    .getByText(/^0:(0[1-9]|[1-5]\d)$/)
    .waitFor()
  await form(page).getByRole('button', { name: 'Stop' }).click()
  await form(page).getByRole('button', { name: hold, exact: true }).click()
  await expect.poll(() => held(page, '').count()).toBe(2)

  // This browser takes the window for open.
  await page.route(/\/v1\/conversations/, async (route) => {
    if (route.request().method() !== 'GET') return route.continue()
    const response = await route.fetch()
    await route.fulfill({
      response,
      body: (await response.text()).replaceAll(
        /"window_expires_at":(null|"[^"]*")/g,
        '"window_expires_at":"2100-01-01T00:00:00Z"',
      ),
    })
  })
  await page.reload()
  const send = form(page).getByRole('button', { name: 'Send', exact: true })
  await send.waitFor()
  await form(page)
    .locator('input[type=file]')
    .setInputFiles({
      name: 'mapa.pdf',
      mimeType: 'application/pdf',
      buffer: Buffer.from('%PDF-1.4\n%%EOF'),
    })
  await form(page).getByText('mapa.pdf').waitFor()
  await send.click()
  await closed(page).waitFor()
  await form(page)
    .getByRole('alert')
    .getByText(/the 24-hour window closed/)
    .waitFor()
  await form(page).getByText('mapa.pdf').waitFor()
  await message(page).fill('O mapa')
  await form(page).getByRole('button', { name: hold, exact: true }).click()
  await held(page, 'O mapa').waitFor()
  await page.unrouteAll({ behavior: 'wait' })

  await counter.simulator.customer(customer, 'Davi Paz', 'Pode mandar')
  await expect
    .poll(async () =>
      (await counter.ledger(customer))
        .map((one) => one.type)
        .filter((type) => type !== 'template'),
    )
    .toEqual(['document', 'audio', 'document'])
})

it('holds on a phone, in three languages, and shows what a template costs', async () => {
  await desk.call('PUT', '/company/rates', {
    currency: 'BRL',
    free_service_per_month: 0,
    rates: [
      { country: '*', category: 'utility', amount: 0.35, from: '2026-01-01' },
    ],
  })
  const { page } = await desk.page({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  await desk.signIn(page)
  await counter.simulator.control('POST', 'messages', {
    customer: '5511955550305',
    name: 'Eva Rocha',
    text: 'Oi',
    at: new Date(Date.now() - 25 * 3_600_000).toISOString(),
  })
  await counter.simulator.control('POST', 'drain')
  const { data } = (await desk.call('GET', '/conversations?q=Eva')) as {
    data: { id: string }[]
  }
  await page.goto(`${desk.url}/inbox/open/${data[0]?.id}`)
  await closed(page).waitFor()
  await message(page).fill('Aguardo você')
  await form(page).getByRole('button', { name: hold, exact: true }).click()
  await held(page, 'Aguardo você').waitFor()
  await axe(page, 'a held message on a phone')
  await closed(page).getByRole('button', { name: 'Choose template' }).click()
  const template = dialog(page, 'Send template').getByRole('button', {
    name: /^podemos_continuar/,
  })
  await template.getByText(/about R\$\s?0\.35/).waitFor()
  await template.click()
  await dialog(page, 'Send template')
    .getByText(/about R\$\s?0\.35/)
    .waitFor()
  await axe(page, 'the cost of a template')
  await dialog(page, 'Send template')
    .getByRole('button', { name: 'Dismiss' })
    .click()
  for (const [language, label] of [
    ['pt-BR', 'Aguardando a resposta do cliente'],
    ['es', 'Esperando la respuesta del cliente'],
  ] as const) {
    await speak(page, language)
    await page.reload()
    await page.getByRole('img', { name: label }).first().waitFor()
    await expect
      .poll(() =>
        page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
      )
      .toBe(true)
  }
  await speak(page, 'en')
})
