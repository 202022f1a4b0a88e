import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Desk, postgresOnly } from './desk'
import {
  dialog,
  log,
  message,
  open,
  row,
  rows,
  search,
  show,
  showDetails,
} from './parts'

describe.each(postgresOnly)('on %s', (engine) => {
  let desk: Desk
  beforeAll(async () => {
    desk = await Desk.start({ engine })
  })
  afterAll(() => desk.stop())
  afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

  it('signs in, answers a customer, transfers, closes and finds the conversation again', async () => {
    await desk.customer(
      '+5511955550001',
      'Clara Dias',
      'Bom dia, vocês abrem hoje?',
    )
    const { page, context } = await desk.page()
    await page.goto(`${desk.url}/`)
    const entrance = page.getByRole('main', { name: 'Sign in' })
    await entrance.getByRole('button', { name: 'Fill in' }).click()
    await entrance.getByRole('button', { name: 'Sign in', exact: true }).click()
    await row(page, 'Clara Dias').click()
    await page.getByRole('heading', { name: 'Clara Dias' }).waitFor()
    await message(page).fill('Sim, até as 18h.')
    await message(page).press('Enter')
    await log(page)
      .getByRole('article', {
        name: /^You, \d\d:\d\d, (Sent|Delivered|Queued)/,
      })
      .filter({ hasText: 'Sim, até as 18h.' })
      .waitFor()
    await log(page).getByRole('img', { name: 'Sent' }).waitFor()
    await expect.poll(() => message(page).inputValue()).toBe('')
    await expect
      .poll(() =>
        message(page).evaluate((box) => box === document.activeElement),
      )
      .toBe(true)

    await page.getByRole('button', { name: 'Transfer', exact: true }).click()
    const transfer = dialog(page, 'Transfer conversation')
    await transfer.getByRole('option').first().click()
    await transfer
      .getByRole('textbox', { name: 'Reason' })
      .fill('asks for an invoice')
    await transfer
      .getByRole('button', { name: 'Transfer', exact: true })
      .click()
    await transfer.waitFor({ state: 'detached' })
    await log(page).getByText('asks for an invoice').waitFor()

    await page.getByRole('button', { name: 'Close case' }).click()
    await dialog(page, 'Close case')
      .getByRole('textbox', { name: 'Reason' })
      .fill('answered')
    await dialog(page, 'Close case')
      .getByRole('button', { name: 'Close case', exact: true })
      .click()
    await log(page)
      .getByText(/closed case ATD-.*answered/)
      .waitFor()

    await search(page, 'Clara')
    await row(page, 'Clara Dias').click()
    await log(page).getByText('Sim, até as 18h.').waitFor()
    await page.getByRole('link', { name: 'Closed', exact: true }).click()
    await row(page, 'Clara Dias').waitFor()
    await context.close()
  })

  it("escapes customers' texts, names and file names", async () => {
    const evil = '<img src=x onerror=alert(1)>'
    await desk.customer('+5511955550002', evil, 'Oi')
    const { page, context } = await desk.page()
    page.on(
      'dialog',
      (alert) =>
        void alert
          .accept()
          .then(() => desk.problems.push('an alert was shown')),
    )
    await desk.signIn(page)
    await open(page, evil)
    await log(page).getByText('Oi', { exact: true }).waitFor()
    await desk.customer(
      '+5511955550002',
      evil,
      `${evil} *bold* https://example.com/a`,
    )
    await log(page).getByText(evil).waitFor()
    await expect
      .poll(() =>
        log(page)
          .getByRole('link', { name: 'https://example.com/a' })
          .getAttribute('rel'),
      )
      .toBe('noopener noreferrer')
    await expect
      .poll(() => log(page).locator('strong').allTextContents())
      .toContain('bold')
    const form = page.getByRole('form', { name: 'Answer' })
    await page.locator('input[type=file]').setInputFiles({
      name: `${evil}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from('hello'),
    })
    await form.getByRole('button', { name: `Remove ${evil}.txt` }).waitFor()
    await form
      .getByRole('textbox', { name: `Caption for ${evil}.txt` })
      .fill(evil)
    await form.getByRole('button', { name: 'Send', exact: true }).click()
    await log(page)
      .getByRole('link', { name: /^Download .*, 5 bytes$/ })
      .waitFor()
    await expect.poll(() => page.locator('img[src="x"]').count()).toBe(0)
    await context.close()
  })

  it('lets two people work together', async () => {
    await desk.customer('+5511955550005', 'Gil Nunes', 'Preciso de ajuda')
    const first = await desk.page()
    const second = await desk.page()
    await desk.signIn(first.page)
    await desk.signInAs(second.page, desk.colleague)
    await row(first.page, 'Gil Nunes').click()
    await open(second.page, 'Gil Nunes')
    await first.page
      .getByRole('group', { name: 'Also here' })
      .getByText(/ is viewing$/)
      .waitFor()
    await message(first.page).fill('Olá, Gil')
    await second.page
      .getByRole('group', { name: 'Also here' })
      .getByText(/ is answering$/)
      .waitFor()
    await message(second.page).fill('Eu cuido disso.')
    await message(second.page).press('Enter')
    await log(first.page).getByText('Eu cuido disso.').waitFor()
    await first.page
      .getByRole('status')
      .filter({ hasText: / answered \d+ s ago$/ })
      .waitFor()
    await first.page.getByRole('button', { name: 'Send anyway' }).waitFor()
    await first.page.getByRole('button', { name: 'Take over' }).click()
    await first.page
      .getByRole('button', { name: 'Take over' })
      .waitFor({ state: 'detached' })
    await log(second.page)
      .getByText(/ took the case/)
      .last()
      .waitFor()
    await first.context.close()
    await second.context.close()
  })

  it('keeps offline messages and sends each once, in order, even after a reload', async () => {
    await desk.customer('+5511955550003', 'Elisa Prado', 'Vocês entregam?')
    const { page, context } = await desk.page({}, /net::ERR_/)
    await desk.signIn(page)
    await row(page, 'Elisa Prado').click()
    await log(page).getByText('Vocês entregam?').waitFor()
    await context.setOffline(true)
    await page
      .getByRole('alert')
      .filter({ hasText: 'You are offline.' })
      .waitFor()
    for (const text of ['um', 'dois', 'três']) {
      await message(page).fill(text)
      await message(page).press('Enter')
      await log(page)
        .getByRole('article', { name: /Queued$/ })
        .filter({ hasText: text })
        .waitFor()
    }
    await context.setOffline(false)
    await page.getByText('You are offline.').waitFor({ state: 'detached' })
    const sent = () =>
      log(page)
        .getByRole('article', { name: /^You, .*(Sent|Delivered|Read)$/ })
        .locator('p')
        .allTextContents()
    await expect.poll(sent).toEqual(['um', 'dois', 'três'])

    // The server dies while a message is being written; the page is reloaded before it is back.
    await desk.restart(async () => {
      await message(page).fill('quatro')
      await message(page).press('Enter')
      await log(page)
        .getByRole('article', { name: /Queued$/ })
        .filter({ hasText: 'quatro' })
        .waitFor()
      await page
        .getByRole('status')
        .filter({ hasText: 'Reconnecting. What you write is kept.' })
        .waitFor()
    })
    await page.reload()
    await expect.poll(sent).toEqual(['um', 'dois', 'três', 'quatro'])
    await context.close()
  })

  it('works with the keyboard alone', async () => {
    const { page, context } = await desk.page()
    await desk.signIn(page)
    await rows(page).getByRole('option').first().waitFor()
    await page.keyboard.press('j')
    await page.getByRole('button', { name: /^Copy protocol/ }).waitFor()
    await page.keyboard.press('r')
    await expect
      .poll(() =>
        message(page).evaluate((box) => box === document.activeElement),
      )
      .toBe(true)
    await page.keyboard.type('Só um momento, por favor.')
    await page.keyboard.press('Enter')
    await log(page).getByText('Só um momento, por favor.').waitFor()
    await page.keyboard.press('Escape')
    for (const [key, name] of [
      ['t', 'Transfer conversation'],
      ['e', 'Close case'],
      ['s', 'Snooze'],
      ['c', 'New conversation'],
      ['?', 'Keyboard shortcuts'],
    ] as const) {
      await page.keyboard.press(key)
      await dialog(page, name).waitFor()
      await page.keyboard.press('Escape')
      await dialog(page, name).waitFor({ state: 'detached' })
    }
    await page.keyboard.press('x')
    await page.getByRole('toolbar', { name: '1 selected' }).waitFor()
    await page.keyboard.press('x')
    await page.getByRole('toolbar').waitFor({ state: 'detached' })
    await page.keyboard.press('n')
    await expect
      .poll(() =>
        page
          .getByRole('textbox', { name: 'Internal note' })
          .evaluate((box) => box === document.activeElement),
      )
      .toBe(true)
    await page.keyboard.press('Escape')
    await page.keyboard.press('l')
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.id))
      .toBe('contact-labels')
    await page.keyboard.press('Escape')
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await page.keyboard.press('/')
    await expect
      .poll(() =>
        page
          .getByRole('searchbox', { name: 'Search conversations' })
          .evaluate((box) => box === document.activeElement),
      )
      .toBe(true)
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await dialog(page, 'Search and commands')
      .getByRole('searchbox')
      .fill('Snoozed')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).pathname).toBe('/inbox/snoozed')
    await context.close()
  })

  it('updates several conversations, snoozes and unsnoozes', async () => {
    for (const n of [1, 2, 3])
      await desk.customer(`+551195556000${n}`, `Cliente ${n}`, 'Oi')
    const { page, context } = await desk.page()
    await desk.signIn(page)
    await search(page, 'Cliente')
    for (const n of [1, 2])
      await page.getByRole('checkbox', { name: `Select Cliente ${n}` }).click()
    const bar = page.getByRole('toolbar', { name: '2 selected' })
    await bar.getByRole('button', { name: 'Assign to me' }).click()
    await bar.waitFor({ state: 'detached' })
    await page.getByRole('searchbox', { name: 'Search conversations' }).fill('')
    await show(page, /^Mine/)
    await row(page, 'Cliente 1').click()
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Snooze' }).click()
    await dialog(page, 'Snooze')
      .getByRole('button', { name: /In 1 hour/ })
      .click()
    await page.getByRole('link', { name: /^Snoozed, 1$/ }).click()
    await row(page, 'Cliente 1').waitFor()
    await desk.customer('+5511955560001', 'Cliente 1', 'Ainda está aí?')
    await page.getByRole('link', { name: 'Snoozed', exact: true }).waitFor()
    await context.close()
  })

  it('starts a conversation, creates a card from a message and opens the templates', async () => {
    const { page, context } = await desk.page()
    await desk.signIn(page)
    await page.getByRole('button', { name: 'New conversation' }).first().click()
    const creating = dialog(page, 'New conversation')
    await creating
      .getByRole('combobox', { name: 'Contact or phone' })
      .pressSequentially('11955557001')
    await expect
      .poll(() =>
        creating
          .getByRole('combobox', { name: 'Contact or phone' })
          .inputValue(),
      )
      .toBe('+55 11 95555-7001')
    await creating.getByRole('textbox', { name: 'Name' }).fill('Helena Couto')
    await creating.getByRole('button', { name: 'Start' }).click()
    await page.getByRole('heading', { name: 'Helena Couto' }).waitFor()
    await desk.customer('+5511955557001', 'Helena Couto', 'Quero um orçamento')
    await log(page).getByText('Quero um orçamento').waitFor()
    await log(page)
      .getByRole('article')
      .filter({ hasText: 'Quero um orçamento' })
      .hover()
    await log(page)
      .getByRole('article')
      .filter({ hasText: 'Quero um orçamento' })
      .getByRole('button', { name: 'Message actions' })
      .click()
    await page.getByRole('menuitem', { name: 'Create card' }).click()
    const card = dialog(page, 'Create card')
    await expect
      .poll(() => card.getByRole('textbox', { name: 'Title' }).inputValue())
      .toBe('Quero um orçamento')
    await card.getByRole('button', { name: 'Create card' }).click()
    await card.waitFor({ state: 'detached' })
    await (
      await showDetails(page)
    )
      .getByRole('region', { name: 'Cards' })
      .getByText('Quero um orçamento')
      .waitFor()
    await page.getByRole('button', { name: 'Template', exact: true }).click()
    // A test number has no templates.
    await dialog(page, 'Send template')
      .getByText('This number has no approved templates.')
      .waitFor()
    await context.close()
  })

  it('saves filters as a view and deletes it', async () => {
    const { page, context } = await desk.page()
    await desk.signIn(page)
    await show(page, /^All open/)
    await page.getByRole('button', { name: 'Filters' }).click()
    await page
      .getByRole('combobox', { name: 'Label' })
      .selectOption({ index: 1 })
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('textbox', { name: 'View name' }).fill('Com etiqueta')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const saved = page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('link', { name: /^Com etiqueta(, \d+)?$/ })
    await saved.click()
    await expect
      .poll(() => new URL(page.url()).pathname)
      .toMatch(/^\/inbox\/view-/)
    await page.getByRole('button', { name: 'Edit view Com etiqueta' }).click()
    await dialog(page, 'Edit view')
      .getByRole('textbox', { name: 'View name' })
      .fill('Marcadas')
    await dialog(page, 'Edit view')
      .getByRole('button', { name: 'Save' })
      .click()
    await saved.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Delete view Marcadas' }).click()
    await page
      .getByRole('alertdialog', { name: 'Delete this view?' })
      .getByRole('button', { name: 'Delete' })
      .click()
    await page
      .getByRole('button', { name: 'Delete view Marcadas' })
      .waitFor({ state: 'detached' })
    await context.close()
  })

  it('records a voice message and plays it', async () => {
    await desk.customer(
      '+5511955557002',
      'Jonas Freitas',
      'Pode me mandar um áudio?',
    )
    const { page, context } = await desk.page({ permissions: ['microphone'] })
    await desk.signIn(page)
    await open(page, 'Jonas Freitas')
    await page.getByRole('button', { name: 'Record voice message' }).click()
    const form = page.getByRole('form', { name: 'Answer' })
    await form.getByText(/^0:(0[1-9]|[1-5]\d)$/).waitFor()
    await form.getByRole('button', { name: 'Stop' }).click()
    await form.getByRole('button', { name: 'Send voice message' }).click()
    const sent = log(page).getByRole('article', {
      name: /^You, .*(Sent|Delivered|Read)$/,
    })
    await sent.getByRole('slider', { name: 'Position' }).waitFor()
    await sent.getByRole('button', { name: 'Play' }).click()
    // The file is Ogg Opus, as WhatsApp requires, and the browser can decode it.
    await expect
      .poll(() =>
        sent
          .locator('audio')
          .evaluate(
            (audio: HTMLAudioElement) =>
              audio.currentTime > 0 && audio.error === null,
          ),
      )
      .toBe(true)
    await context.close()
  })

  it('sets up the first company and adds a test number', async () => {
    const fresh = await Desk.start({ engine, demo: false })
    try {
      const link = await expect
        .poll(
          () =>
            /https?:\/\/\S+#\/setup\?token=[^\s"\\]+/.exec(fresh.output())?.[0],
        )
        .toBeTruthy()
        .then(
          () =>
            /https?:\/\/\S+#\/setup\?token=[^\s"\\]+/.exec(
              fresh.output(),
            )?.[0] ?? '',
        )
      const { page } = await fresh.page()
      await page.goto(link)
      const setUp = page.getByRole('main', { name: 'Set up Recado' })
      await setUp
        .getByRole('textbox', { name: 'Company name' })
        .fill('Padaria Central')
      await setUp.getByRole('textbox', { name: 'Your name' }).fill('Rita Lopes')
      await setUp
        .getByRole('textbox', { name: 'E-mail' })
        .fill('rita@example.com')
      await setUp
        .getByRole('textbox', { name: 'Password' })
        .fill('correct horse battery')
      await setUp.getByRole('button', { name: 'Create company' }).click()
      await page.getByRole('button', { name: 'Add a test number' }).click()
      const customer = page.getByRole('form', { name: 'Write as the customer' })
      await customer
        .getByRole('textbox', { name: 'Name' })
        .fill('Primeira Cliente')
      await customer.getByRole('textbox', { name: 'Text' }).fill('Olá!')
      await customer
        .getByRole('button', { name: 'Send as the customer' })
        .click()
      await customer.getByRole('link', { name: 'Open the inbox' }).click()
      await row(page, 'Primeira Cliente').click()
      await log(page).getByText('Olá!').waitFor()
      // The link was already used, so the page leads to sign-in.
      const other = await fresh.page()
      await other.page.goto(link)
      await other.page.getByText('Recado is already set up.').waitFor()
      expect(
        await other.page.getByRole('textbox', { name: 'Company name' }).count(),
      ).toBe(0)
      await other.page.getByRole('button', { name: 'Sign in' }).click()
      await other.page.getByRole('main', { name: 'Sign in' }).waitFor()
      expect(fresh.problems).toEqual([])
    } finally {
      await fresh.stop()
    }
  })

  it('asks to sign in again when the session ends and keeps typed text', async () => {
    await desk.customer('+5511955550009', 'Iara Melo', 'Oi')
    const { page, context } = await desk.page({}, /status of 401/)
    await desk.signIn(page)
    await open(page, 'Iara Melo')
    await message(page).fill('ainda não enviado')
    const { id } = (
      await page.evaluate(
        async () =>
          (await (await fetch('/v1/sessions')).json()) as {
            data: { id: string; current: boolean }[]
          },
      )
    ).data.find((one) => one.current) ?? { id: '' }
    await page.evaluate(
      (session) => fetch(`/v1/sessions/${session}`, { method: 'DELETE' }),
      id,
    )
    const again = dialog(page, 'Sign in again')
    await again
      .getByRole('textbox', { name: 'Password' })
      .fill(desk.demo.login.password)
    await again.getByRole('button', { name: 'Sign in', exact: true }).click()
    await again.waitFor({ state: 'detached' })
    await expect
      .poll(() => message(page).inputValue())
      .toBe('ainda não enviado')
    await message(page).press('Enter')
    await log(page)
      .getByRole('article', { name: /^You, .*(Sent|Delivered)$/ })
      .filter({ hasText: 'ainda não enviado' })
      .waitFor()
    await desk.customer('+5511955550009', 'Iara Melo', 'Recebi, obrigada')
    await log(page).getByText('Recebi, obrigada').waitFor()
    await context.close()
  })
})
