import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Counter, each, entry, form, later, minute, scheduled } from './counter'
import type { Desk } from './desk'
import { axe, dialog, hasFocus, log, message, open, speak } from './parts'
import type { Simulator } from './simulator'

let counter: Counter
let desk: Desk
let simulator: Simulator
beforeAll(async () => {
  counter = await Counter.start()
  desk = counter.desk
  simulator = counter.simulator
})
afterAll(() => counter.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
// These two are due within two minutes; the last test checks their outcome.
it('schedules a text by keyboard, live in another tab', async () => {
  const { page, context } = await desk.page()
  await desk.signIn(page)
  await counter.write(page, '5511955550101', 'Aline Motta', 'Quando sai?')
  const other = await context.newPage()
  await other.goto(page.url())
  await message(other).waitFor()
  await message(page).fill('Sai agora, Aline')
  const choosing = await later(page)
  const time = choosing.getByLabel('Date and time')
  await hasFocus(time)
  await time.fill(counter.soon())
  await time.press('Enter')
  await choosing.waitFor({ state: 'detached' })
  await expect.poll(() => message(page).inputValue()).toBe('')
  await expect
    .poll(() => message(page).evaluate((box) => box === document.activeElement))
    .toBe(true)
  await entry(page, 'Sai agora, Aline')
    .getByText(/ · You · Scheduled$/)
    .waitFor()
  await entry(other, 'Sai agora, Aline').waitFor()
  await expect
    .poll(() => log(page).getByText('Sai agora, Aline').count())
    .toBe(0)
})

it('schedules a message to a contact that is blocked before it is due', async () => {
  const { page } = await desk.page()
  await desk.signIn(page)
  await counter.write(page, '5511955550102', 'Breno Dias', 'Posso trocar?')
  await message(page).fill('Pode, sim')
  const choosing = await later(page)
  await choosing.getByLabel('Date and time').fill(counter.soon())
  await choosing.getByRole('button', { name: 'Schedule' }).click()
  await entry(page, 'Pode, sim').waitFor()
  const { data } = (await desk.call('GET', '/contacts?q=Breno')) as {
    data: { id: string }[]
  }
  await desk.call('PATCH', `/contacts/${data[0]?.id ?? ''}`, { blocked: true })
})

it('edits and cancels scheduled messages and warns of the closed window', async () => {
  const { page } = await desk.page()
  await desk.signIn(page)
  await counter.write(page, '5511955550103', 'Célia Rocha', 'Oi')
  await page.locator('input[type=file]').setInputFiles({
    name: 'cardapio.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('pão'),
  })
  await form(page)
    .getByRole('textbox', { name: 'Caption for cardapio.txt' })
    .fill('O cardápio')
  await message(page).fill('e mais isto')
  await form(page)
    .getByRole('button', { name: 'Send', exact: true })
    .and(page.locator(':enabled'))
    .waitFor()
  const several = await later(page)
  await several.getByText(/^You can only schedule a text/).waitFor()
  await several.getByRole('button', { name: 'Dismiss' }).click()
  await hasFocus(message(page))
  await message(page).fill('')
  const choosing = await later(page)
  await choosing
    .getByRole('button', { name: 'In 1 hour' })
    .and(page.locator('[aria-pressed=true]'))
    .waitFor()
  await choosing.getByRole('button', { name: 'Tomorrow 9:00' }).click()
  await expect
    .poll(() => choosing.getByLabel('Date and time').inputValue())
    .toBe(`${counter.local(Date.now() + 24 * 60 * minute).slice(0, 10)}T09:00`)
  await choosing
    .getByLabel('Date and time')
    .fill(counter.local(Date.now() - 5 * minute))
  await choosing
    .getByText('Choose a time at least one minute from now.')
    .waitFor()
  await expect
    .poll(() => choosing.getByRole('button', { name: 'Schedule' }).isDisabled())
    .toBe(true)
  await choosing
    .getByLabel('Date and time')
    .fill(counter.local(Date.now() + 3 * 24 * 60 * minute))
  await choosing
    .getByRole('status')
    .filter({ hasText: 'The 24-hour window will be closed' })
    .waitFor()
  await choosing
    .getByRole('switch', { name: 'Cancel if the customer replies' })
    .press(' ')
  await choosing.getByRole('button', { name: 'Schedule' }).click()
  const first = entry(page, 'O cardápio')
  await first.getByText(/The 24-hour window will be closed/).waitFor()
  await first.getByText(/Cancelled if the customer replies$/).waitFor()
  await expect.poll(() => form(page).getByText('cardapio.txt').count()).toBe(0)

  await first.getByRole('button', { name: 'Edit' }).click()
  const changing = dialog(page, 'Edit scheduled message')
  await changing.getByRole('textbox', { name: 'Text' }).fill('O novo cardápio')
  await changing.getByRole('button', { name: 'In 1 hour' }).click()
  await changing.getByRole('button', { name: 'Save' }).click()
  await entry(page, 'O novo cardápio')
    .getByRole('link', { name: 'File' })
    .waitFor()
  await expect
    .poll(() =>
      entry(page, 'O novo cardápio')
        .getByText(/The 24-hour window/)
        .count(),
    )
    .toBe(0)

  await message(page).fill('Até amanhã')
  const another = await later(page)
  await another.getByRole('button', { name: 'Schedule' }).click()
  await entry(page, 'Até amanhã')
    .getByRole('button', { name: 'Cancel message' })
    .click()
  const asking = page.getByRole('alertdialog', { name: 'Cancel this message?' })
  await asking.getByRole('button', { name: 'Keep it' }).click()
  await entry(page, 'Até amanhã')
    .getByRole('button', { name: 'Cancel message' })
    .click()
  await asking.getByRole('button', { name: 'Cancel message' }).click()
  await entry(page, 'Até amanhã').waitFor({ state: 'detached' })

  // The customer replies, so the first message is cancelled.
  await simulator.customer('5511955550103', 'Célia Rocha', 'Já vi, obrigada')
  await log(page).getByText('Já vi, obrigada').waitFor()
  await scheduled(page).waitFor({ state: 'detached' })
})

it("sends buttons and shows the customer's choice", async () => {
  const { page } = await desk.page()
  await desk.signIn(page)
  await counter.write(page, '5511955550104', 'Dora Pinto', 'Tem entrega?')
  await message(page).fill('Qual prefere?')
  await form(page).getByRole('button', { name: 'Buttons' }).click()
  const making = dialog(page, 'Buttons')
  const send = making.getByRole('button', { name: 'Send', exact: true })
  await expect
    .poll(() => making.getByRole('textbox', { name: 'Body' }).inputValue())
    .toBe('Qual prefere?')
  await making.getByRole('textbox', { name: 'Header' }).fill('Entrega')
  await making.getByRole('textbox', { name: 'Footer' }).fill('Até as 20 h')
  await making
    .getByRole('textbox', { name: 'Button 1' })
    .fill('Um texto com mais de vinte letras')
  await making.getByText('At most 20 characters.').waitFor()
  await expect.poll(() => send.isDisabled()).toBe(true)
  await making.getByRole('textbox', { name: 'Button 1' }).fill('Moto')
  await making.getByRole('button', { name: 'Add button' }).click()
  await expect
    .poll(() =>
      making
        .getByRole('textbox', { name: 'Button 2' })
        .evaluate((field) => field === document.activeElement),
    )
    .toBe(true)
  await page.keyboard.type('Moto')
  await making.getByText('Another button has the same text.').waitFor()
  await making.getByRole('textbox', { name: 'Button 2' }).fill('Retirada')
  await making.getByRole('button', { name: 'Add button' }).click()
  await expect
    .poll(() => making.getByRole('button', { name: 'Add button' }).count())
    .toBe(0)
  await making.getByRole('button', { name: 'Remove button 3' }).click()
  const preview = making.getByRole('region', { name: 'Preview' })
  await expect
    .poll(() =>
      preview
        .getByRole('list', { name: 'Buttons' })
        .getByRole('listitem')
        .allTextContents(),
    )
    .toEqual(['Moto', 'Retirada'])
  await send.click()
  const sent = log(page)
    .getByRole('article', { name: /^You, .*(Sent|Delivered|Read)$/ })
    .filter({ hasText: 'Qual prefere?' })
  await expect
    .poll(() =>
      sent
        .getByRole('list', { name: 'Buttons' })
        .getByRole('listitem')
        .allTextContents(),
    )
    .toEqual(['Moto', 'Retirada'])
  await sent.getByText('Até as 20 h').waitFor()
  await expect.poll(() => message(page).inputValue()).toBe('')
  const [offer] = await counter.ledger('5511955550104')
  const buttons = (
    offer?.body.interactive?.action as {
      buttons: { reply: { id: string; title: string } }[]
    }
  ).buttons
  expect(buttons.map((one) => one.reply.title)).toEqual(['Moto', 'Retirada'])
  await simulator.control('POST', 'messages', {
    customer: '5511955550104',
    type: 'interactive',
    payload: { type: 'button_reply', button_reply: buttons[0]?.reply },
  })
  await log(page)
    .getByRole('article', { name: /^Dora Pinto/ })
    .getByText('Chose Moto')
    .waitFor()
})

it('sends a list exactly once despite a network failure and a reload', async () => {
  const { page } = await desk.page({}, /ERR_FAILED/)
  await desk.signIn(page)
  await counter.write(page, '5511955550105', 'Edu Farias', 'O que tem?')
  await form(page).getByRole('button', { name: 'List' }).press('Enter')
  const making = dialog(page, 'List')
  await expect
    .poll(() =>
      making
        .getByRole('textbox', { name: 'Body' })
        .evaluate((field) => field === document.activeElement),
    )
    .toBe(true)
  await page.keyboard.type('Temos isto:')
  await making.getByRole('textbox', { name: 'Button text' }).focus()
  await page.keyboard.type('Ver')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Pães')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Francês')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Quente')
  await making.getByRole('button', { name: 'Add row' }).press('Enter')
  await page.keyboard.type('Integral')
  await making.getByRole('button', { name: 'Add section' }).press('Enter')
  await page.keyboard.type('Doces')
  await making
    .getByRole('group', { name: 'Section 2' })
    .getByRole('textbox', { name: 'Row 1', exact: true })
    .fill('Sonho')
  for (let rows = 3; rows < 10; rows++)
    await making
      .getByRole('group', { name: 'Section 2' })
      .getByRole('button', { name: 'Add row' })
      .click()
  await making
    .getByText('WhatsApp allows at most 10 rows across all sections.')
    .waitFor()
  await expect
    .poll(() =>
      making.getByRole('button', { name: 'Add section' }).isDisabled(),
    )
    .toBe(true)
  for (let rows = 8; rows > 1; rows--)
    await making
      .getByRole('group', { name: 'Section 2' })
      .getByRole('button', { name: `Remove row ${rows}` })
      .click()
  await expect
    .poll(() =>
      making
        .getByRole('region', { name: 'Preview' })
        .getByRole('listitem')
        .allTextContents(),
    )
    .toEqual(['FrancêsQuente', 'Integral', 'Sonho'])
  await page.route('**/messages', (route) => route.abort())
  await making.getByRole('button', { name: 'Send', exact: true }).press('Enter')
  await log(page)
    .getByRole('article', { name: /Queued$/ })
    .getByText('Francês')
    .waitFor()
  await page.reload()
  await log(page)
    .getByRole('article', { name: /Queued$/ })
    .getByText('Sonho')
    .waitFor()
  await page.unroute('**/messages')
  const sent = log(page).getByRole('article', {
    name: /^You, .*(Sent|Delivered|Read)$/,
  })
  await sent.getByText('Sonho').waitFor()
  await sent.getByText('Ver', { exact: true }).waitFor()
  const list = (await counter.ledger('5511955550105'))[0]
  expect(list?.type).toBe('interactive')
  await expect.poll(() => simulator.control('GET', 'repeated')).toEqual({})
})

it('fills in a template with a header file and disables rejected templates', async () => {
  const { page } = await desk.page()
  await desk.signIn(page)
  await counter.write(page, '5511955550106', 'Flávia Reis', 'Cadê o pedido?')
  await form(page)
    .getByRole('button', { name: 'Template', exact: true })
    .click()
  const choosing = dialog(page, 'Send template')
  await expect
    .poll(() =>
      choosing
        .getByRole('button', { name: /^promocao .*Paused by WhatsApp/ })
        .isDisabled(),
    )
    .toBe(true)
  await expect
    .poll(() =>
      choosing
        .getByRole('button', { name: /^recusado .*Rejected by WhatsApp/ })
        .isDisabled(),
    )
    .toBe(true)
  await choosing
    .getByRole('searchbox', { name: 'Search templates' })
    .fill('pedido')
  await choosing
    .getByRole('button', { name: /^promocao/ })
    .waitFor({ state: 'detached' })
  await choosing.getByRole('button', { name: /^pedido_enviado/ }).click()
  await choosing.getByRole('textbox', { name: 'Text {{1}}' }).fill('Flávia')
  await choosing.getByRole('textbox', { name: 'Text {{2}}' }).fill('431')
  await expect
    .poll(() =>
      choosing.getByRole('button', { name: 'Send template' }).isDisabled(),
    )
    .toBe(true)
  await choosing.locator('input[type=file]').setInputFiles({
    name: 'nota.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from('x'),
  })
  await choosing
    .getByText('WhatsApp doesn’t support this file type here.')
    .waitFor()
  await choosing
    .locator('input[type=file]')
    .setInputFiles({ name: 'pedido.png', mimeType: 'image/png', buffer: png })
  const preview = choosing.getByRole('group', { name: 'Preview' })
  await preview.getByText('Olá Flávia, o pedido 431 saiu.').waitFor()
  await preview.locator('img').waitFor()
  await choosing.getByRole('button', { name: 'Send later' }).click()
  await dialog(page, 'Send later')
    .getByRole('button', { name: 'Schedule' })
    .click()
  await entry(page, 'Template pedido_enviado: Flávia, 431').waitFor()

  await form(page)
    .getByRole('button', { name: 'Template', exact: true })
    .click()
  await choosing.getByRole('button', { name: /^pedido_enviado/ }).click()
  await choosing.getByRole('textbox', { name: 'Text {{1}}' }).fill('Flávia')
  await choosing.getByRole('textbox', { name: 'Text {{2}}' }).fill('432')
  await choosing
    .locator('input[type=file]')
    .setInputFiles({ name: 'pedido.png', mimeType: 'image/png', buffer: png })
  await choosing.getByRole('button', { name: 'Send template' }).click()
  await log(page)
    .getByRole('article', { name: /^You, .*(Sent|Delivered|Read)$/ })
    .getByText('Olá Flávia, o pedido 432 saiu.')
    .waitFor()
  const [sent] = await counter.ledger('5511955550106')
  expect(JSON.stringify(sent?.body.template)).toMatch(/"type":"image"/)
})

it('records a voice message that WhatsApp receives as such', async () => {
  const { page } = await desk.page({ permissions: ['microphone'] })
  await desk.signIn(page)
  await counter.write(page, '5511955550107', 'Gabi Lins', 'Manda um áudio?')
  await form(page).getByRole('button', { name: 'Record voice message' }).click()
  await form(page)
    .getByText(/^0:(0[3-9]|[1-5]\d)$/)
    .waitFor()
  await form(page).getByRole('button', { name: 'Stop' }).click()
  await form(page).getByRole('button', { name: 'Send voice message' }).click()
  const sent = log(page).getByRole('article', {
    name: /^You, .*(Sent|Delivered|Read)$/,
  })
  await sent.getByRole('slider', { name: 'Position' }).waitFor()
  // A busy machine drops sound, so the recording may be shorter than the clock.
  await sent.getByText(/^0:(0[1-9]|[1-5]\d)$/).waitFor()
  const [voice] = await counter.ledger('5511955550107')
  expect(voice?.body.audio).toMatchObject({ voice: true })
  const file = (await (
    await fetch(`${simulator.url}/v23.0/${String(voice?.body.audio?.id)}`, {
      headers: { Authorization: `Bearer ${simulator.credential('token')}` },
    })
  ).json()) as { mime_type: string }
  expect(file.mime_type).toBe('audio/ogg; codecs=opus')
  await sent.getByRole('button', { name: 'Play' }).click()
  const audio = sent.locator('audio')
  await expect
    .poll(() =>
      audio.evaluate(
        (one: HTMLAudioElement) => one.currentTime > 0 && one.error === null,
      ),
    )
    .toBe(true)
  const { data } = (await desk.call(
    'GET',
    `/conversations/${new URL(page.url()).pathname.split('/').at(-1) ?? ''}/messages`,
  )) as {
    data: { voice: boolean; media: { duration_seconds: number } | null }[]
  }
  const kept = data.find((one) => one.voice)?.media?.duration_seconds ?? 0
  expect(kept).toBeGreaterThan(0.5)
  expect(
    Math.abs(
      kept - (await audio.evaluate((one: HTMLAudioElement) => one.duration)),
    ),
  ).toBeLessThan(0.6)
})

describe("the composer's dialogs", () => {
  const english = {
    tools: ['Send later', 'Buttons', 'List', 'Template'],
    dismiss: 'Dismiss',
  }

  it('have no accessibility violations on a desktop and a phone', async () => {
    for (const size of [
      {},
      { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    ]) {
      const { page, context } = await desk.page(size)
      await desk.signIn(page)
      await counter.write(
        page,
        '5511955550108',
        'Hugo Prado',
        `Oi ${String('isMobile' in size)}`,
      )
      await message(page).fill('Volto a falar')
      const choosing = await later(page)
      await choosing.getByRole('button', { name: 'Schedule' }).click()
      await Promise.all([
        choosing.waitFor({ state: 'detached' }),
        entry(page, 'Volto a falar').first().waitFor(),
      ])
      await message(page).fill('Outra')
      await axe(page, 'scheduled messages')
      await each(page, english, async (screen) => {
        await axe(page, screen)
        const fits = await page.evaluate(() =>
          [
            ...document.querySelectorAll(
              '[role=dialog], [role=dialog] *, form *',
            ),
          ].every((one) => one.getBoundingClientRect().right <= innerWidth + 1),
        )
        expect([screen, fits]).toEqual([screen, true])
      })
      await context.close()
    }
  })

  it.each([
    [
      'pt-BR',
      {
        tools: ['Enviar depois', 'Botões', 'Lista', 'Modelo'],
        dismiss: 'Fechar',
      },
    ],
    [
      'es',
      {
        tools: ['Enviar más tarde', 'Botones', 'Lista', 'Plantilla'],
        dismiss: 'Cerrar',
      },
    ],
  ])('have all their texts in %s', async (language, names) => {
    const { page } = await desk.page()
    await desk.signIn(page)
    await counter.write(page, '5511955550109', 'Íris Melo', `Oi ${language}`)
    await message(page).fill('Rascunho')
    const address = page.url()
    await speak(page, language)
    await page.goto(address)
    await page.getByRole('button', { name: names.tools[0] }).waitFor()
    await each(page, names, async (screen) => {
      const keys = ((await page.textContent('body')) ?? '').match(
        /\b(later|scheduled|offer|template|composer|common|message|list)\.[a-z]\w+/g,
      )
      expect([screen, keys]).toEqual([screen, null])
    })
    await speak(page, 'en')
  })
})

it('shows a scheduled message once it is sent, and says why another failed', async () => {
  const { page } = await desk.page()
  await desk.signIn(page)
  await open(page, 'Aline Motta')
  await log(page)
    .getByRole('article', { name: /^You, .*(Sent|Delivered|Read)$/ })
    .getByText('Sai agora, Aline')
    .waitFor({ timeout: 200_000 })
  await scheduled(page).waitFor({ state: 'detached' })
  expect((await counter.ledger('5511955550101')).length).toBe(1)
  await open(page, 'Breno Dias')
  const failed = entry(page, 'Pode, sim')
  await failed.getByText('This contact is blocked.').waitFor()
  await failed.getByRole('button', { name: 'Dismiss' }).click()
  await scheduled(page).waitFor({ state: 'detached' })
})
