import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Desk, sqliteOnly } from './desk'
import { axe, dialog, log, message, open, showDetails, speak } from './parts'

type Sent = { id: string; conversation: string; external_id: string }

const article = (page: Page, text: string) =>
  log(page).getByRole('article').filter({ hasText: text })
const button = (page: Page) =>
  page.getByRole('button', { name: /^Notifications/ })
const popover = (page: Page) =>
  page.getByRole('dialog', { name: 'Notifications' })
const told = (page: Page) =>
  page.getByRole('list', { name: 'Notifications' }).getByRole('link')

/** act selects an item from a message's menu. */
async function act(page: Page, text: string, item: string): Promise<void> {
  await article(page, text).hover()
  await article(page, text)
    .getByRole('button', { name: 'Message actions' })
    .click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

/** inView reports whether a message or note is in the visible part of the thread. */
const inView = (page: Page, text: string) =>
  article(page, text).evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    const view = element.closest('[role=log]')?.getBoundingClientRect()
    return !!view && top >= view.top && bottom <= view.bottom
  })

describe.each(sqliteOnly)('people who work together, %s', (engine) => {
  let desk: Desk
  let ana: Page
  let bruno: Page
  const customer = async (from: string, name: string, text: string) =>
    (await desk.customer(from, name, text)) as unknown as Sent
  const simulate = (body: object) =>
    desk.call('POST', `/channels/${desk.company.channel}/simulate`, body)

  beforeAll(async () => {
    desk = await Desk.start({ engine })
    ana = (await desk.page()).page
    bruno = (await desk.page({}, /status of 404 .*around=/)).page // a deleted note
    await desk.signIn(ana)
    await desk.signInAs(bruno, desk.colleague)
  })
  afterAll(async () => {
    expect(await desk.problemsOf()).toEqual([])
    await desk.stop()
  })

  it('mention each other in a note, which opens from the notification', async () => {
    await customer('+5511955558001', 'Bia Rangel', 'Oi')
    await open(ana, 'Bia Rangel')
    const before = await bruno.evaluate(
      async () =>
        (
          (await (await fetch('/v1/me/notifications')).json()) as {
            unread_count: number
          }
        ).unread_count,
    )
    await ana.getByRole('tab', { name: 'Internal note' }).click()
    const box = ana.getByRole('textbox', { name: 'Internal note' })
    await box.pressSequentially('@bru')
    await ana
      .getByRole('listbox', { name: 'People' })
      .getByRole('option', { name: 'Bruno Tavares' })
      .waitFor()
    await box.press('Enter')
    await expect
      .poll(() =>
        box.evaluate((field: HTMLTextAreaElement) => [
          field.value,
          field.selectionStart,
        ]),
      )
      .toEqual(['@Bruno Tavares ', 15])
    await box.pressSequentially('pode ver o pedido?')
    await ana.getByRole('button', { name: 'Add note' }).click()
    await log(ana)
      .getByRole('article', { name: /^You, \d\d:\d\d, internal note$/ })
      .waitFor()
    for (let n = 0; n < 60; n++)
      await customer('+5511955558001', 'Bia Rangel', `Linha ${n}`)
    await bruno
      .getByRole('button', { name: `Notifications, ${before + 1} unread` })
      .click()
    await told(bruno)
      .first()
      .filter({ hasText: 'Ana Ribeiro mentioned you in a note' })
      .filter({ hasText: 'Bia Rangel' })
      .filter({ hasText: 'Unread' })
      .waitFor()
    await bruno.keyboard.press('Escape')
    await popover(bruno).waitFor({ state: 'hidden' })
    await expect
      .poll(() =>
        button(bruno).evaluate((element) => element === document.activeElement),
      )
      .toBe(true)
    await bruno.locator('main').click({ position: { x: 5, y: 5 } })
    await bruno.keyboard.press('g')
    await bruno.keyboard.press('n')
    await popover(bruno).getByRole('switch', { name: 'Only unread' }).waitFor()
    await told(bruno).first().press('Enter')
    await article(bruno, 'pode ver o pedido?')
      .filter({ hasText: 'Internal note' })
      .waitFor()
    await expect.poll(() => inView(bruno, 'pode ver o pedido?')).toBe(true)
    await bruno
      .getByRole('button', {
        name: before > 0 ? `Notifications, ${before} unread` : 'Notifications',
        exact: true,
      })
      .waitFor()
    await button(bruno).click()
    await expect
      .poll(() =>
        told(bruno)
          .filter({ hasText: 'mentioned you' })
          .first()
          .getByText('Unread')
          .count(),
      )
      .toBe(0)
    await popover(bruno)
      .getByRole('switch', { name: 'Only unread' })
      .click({ force: true })
    await expect
      .poll(() => told(bruno).filter({ hasText: 'mentioned you' }).count())
      .toBe(0)
    await bruno.keyboard.press('Escape')
  })

  it('edit and delete notes, live for both', async () => {
    await open(bruno, 'Bia Rangel')
    await showDetails(bruno)
    await showDetails(ana)
    const notes = (page: Page) => page.getByRole('region', { name: 'Notes' })
    await notes(bruno).getByText('Ana Ribeiro').waitFor()
    await expect
      .poll(() =>
        notes(bruno).getByRole('button', { name: 'Edit note' }).count(),
      )
      .toBe(0)
    await notes(ana).getByRole('button', { name: 'Edit note' }).click()
    await notes(ana)
      .getByRole('textbox', { name: 'Internal note' })
      .fill('@Bruno Tavares viu o pedido?')
    await notes(ana).getByRole('button', { name: 'Save' }).click()
    await notes(bruno).getByText('viu o pedido?').waitFor()
    await notes(bruno).getByText('edited').waitFor()
    await notes(bruno)
      .getByRole('link', { name: 'Show in conversation' })
      .click()
    await article(bruno, 'viu o pedido?').waitFor()
    await expect.poll(() => inView(bruno, 'viu o pedido?')).toBe(true)
    await showDetails(bruno) // the link closed them
    await notes(bruno).getByRole('button', { name: 'Delete note' }).click()
    await bruno
      .getByRole('alertdialog', { name: 'Delete this note?' })
      .getByRole('button', { name: 'Delete' })
      .click()
    await notes(ana).getByText('No notes.').waitFor()
    // The note is gone, so the notification opens the end of the conversation.
    await button(bruno).click()
    await told(bruno)
      .filter({ hasText: 'Ana Ribeiro mentioned you' })
      .first()
      .click()
    await article(bruno, 'Linha 59').waitFor()
  })

  it('are notified of a failed message and mark all as read', async () => {
    const { conversation } = await customer(
      '+5511955558002',
      'Caio Pires',
      'Tem estoque?',
    )
    await open(ana, 'Caio Pires')
    await message(ana).fill('Temos dez')
    await message(ana).press('Enter')
    await log(ana).getByRole('img', { name: 'Sent' }).waitFor()
    const { data } = (await desk.call(
      'GET',
      `/conversations/${conversation}/messages`,
    )) as unknown as { data: Sent[] }
    await open(ana, 'Bia Rangel')
    await simulate({ external_id: data[0]?.external_id, status: 'failed' })
    await expect
      .poll(() => button(ana).getAttribute('aria-label'))
      .toMatch(/^Notifications, \d+ unread$/)
    await button(ana).click()
    await told(ana)
      .filter({ hasText: 'Message not sent' })
      .filter({ hasText: 'Caio Pires' })
      .first()
      .click()
    await article(ana, 'Temos dez')
      .getByRole('button', { name: 'Send again' })
      .waitFor()
    await customer('+5511955558002', 'Caio Pires', 'E agora?')
    await button(bruno).click()
    await desk.call('POST', `/conversations/${conversation}/transfer`, {
      user_id: desk.colleague,
    })
    await told(bruno).first().filter({ hasText: 'Caio Pires' }).waitFor()
    await popover(bruno)
      .getByRole('button', { name: 'Mark all as read' })
      .click()
    await bruno
      .getByRole('button', { name: 'Notifications', exact: true })
      .waitFor()
    await bruno.keyboard.press('Escape')
  })

  it('see a draft on another device until it is sent', async () => {
    await customer('+5511955558003', 'Edu Prado', 'Oi')
    const { page: phone, context } = await desk.page({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    })
    await desk.signIn(phone)
    await open(ana, 'Edu Prado')
    await message(ana).fill('Vou verificar, Edu')
    await open(phone, 'Edu Prado')
    await expect
      .poll(() => message(phone).inputValue())
      .toBe('Vou verificar, Edu')
    await phone.getByRole('button', { name: 'Send', exact: true }).tap()
    await article(ana, 'Vou verificar, Edu').waitFor()
    await expect.poll(() => message(ana).inputValue()).toBe('')
    await context.close()
  })

  it('insert a canned reply with variables and a file, and save a message as one', async () => {
    await customer('+5511955558004', 'Dora Lima', 'Qual o prazo?')
    await ana.goto(`${desk.url}/settings/replies`)
    await ana.getByRole('button', { name: 'New reply' }).first().click()
    const creating = dialog(ana, 'New reply')
    await creating.getByRole('textbox', { name: 'Title' }).fill('Prazo')
    await creating.getByRole('textbox', { name: 'Shortcut' }).fill('prazo')
    await creating
      .getByRole('textbox', { name: 'Text' })
      .fill('Olá, {{contact.first_name}}! Setor {{sector}}, até {{sector}}.')
    await creating.locator('input[type=file]').setInputFiles({
      name: 'prazos.txt',
      mimeType: 'text/plain',
      buffer: Buffer.from('3 dias'),
    })
    await creating.getByRole('link', { name: 'prazos.txt' }).waitFor()
    await creating
      .getByRole('combobox', { name: 'For' })
      .selectOption('The whole team')
    await creating.getByRole('button', { name: 'Save' }).click()
    await ana
      .getByRole('list', { name: 'Team replies' })
      .getByRole('listitem')
      .filter({ hasText: 'Prazo' })
      .filter({ hasText: 'Sent 0 times · With a file' })
      .waitFor()
    await ana
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Inbox' })
      .click()
    await open(ana, 'Dora Lima')
    await message(ana).pressSequentially('/pra')
    await ana
      .getByRole('listbox', { name: 'Canned replies' })
      .getByRole('option', { name: /Prazo/ })
      .waitFor()
    await message(ana).press('Enter')
    await expect
      .poll(() => message(ana).inputValue())
      .toBe('Olá, Dora! Setor {{sector}}, até {{sector}}.')
    await ana.getByRole('button', { name: 'Remove Prazo' }).waitFor()
    const send = ana.getByRole('button', { name: 'Send', exact: true })
    await expect.poll(() => send.isDisabled()).toBe(true)
    await expect
      .poll(() =>
        message(ana).evaluate((box: HTMLTextAreaElement) =>
          box.value.slice(box.selectionStart, box.selectionEnd),
        ),
      )
      .toBe('{{sector}}')
    await ana.keyboard.type('Centro')
    await expect.poll(() => send.isDisabled()).toBe(true)
    await ana.keyboard.press('Tab')
    await ana.keyboard.type('sexta')
    await expect
      .poll(() => message(ana).inputValue())
      .toBe('Olá, Dora! Setor Centro, até sexta.')
    await message(ana).press('Enter')
    await log(ana).getByText('Olá, Dora! Setor Centro, até sexta.').waitFor()
    await log(ana)
      .getByRole('link', { name: /^Download prazos\.txt/ })
      .waitFor()

    await expect
      .poll(async () => {
        const { data } = (await desk.call('GET', '/replies')) as unknown as {
          data: { shortcut: string; uses: number }[]
        }
        return data.find((one) => one.shortcut === 'prazo')?.uses
      })
      .toBe(1)
    await act(ana, 'até sexta', 'Save as canned reply')
    const saving = dialog(ana, 'Save as canned reply')
    await expect
      .poll(() =>
        saving.getByRole('textbox', { name: 'Shortcut' }).inputValue(),
      )
      .toBe('ola-dora-setor')
    await saving.getByRole('textbox', { name: 'Shortcut' }).fill('centro')
    await saving.getByRole('button', { name: 'Save', exact: true }).click()
    await saving.waitFor({ state: 'detached' })
    await message(ana).pressSequentially('/cen')
    await ana
      .getByRole('listbox', { name: 'Canned replies' })
      .getByRole('option', { name: /centro/ })
      .waitFor()
    await message(ana).fill('')
  })

  it('react, remove reactions, and see edits and deletions by the customer', async () => {
    const first = await customer(
      '+5511955558005',
      'Hugo Paz',
      'Chegou o pedido',
    )
    await open(ana, 'Hugo Paz')
    await open(bruno, 'Hugo Paz')
    await act(ana, 'Chegou o pedido', 'React')
    await ana.getByRole('menuitem', { name: '👍' }).click()
    await article(bruno, 'Chegou o pedido').getByText('👍').waitFor()
    await act(bruno, 'Chegou o pedido', 'Remove reaction')
    await expect
      .poll(() => article(ana, 'Chegou o pedido').getByText('👍').count())
      .toBe(0)
    await message(ana).fill('Que bom!')
    await message(ana).press('Enter')
    await article(ana, 'Que bom!').getByRole('img', { name: 'Sent' }).waitFor()
    const { data } = (await desk.call(
      'GET',
      `/conversations/${first.conversation}/messages`,
    )) as unknown as { data: Sent[] }
    const from = '+5511955558005'
    const external_id = data[0]?.external_id
    await simulate({ from, reaction: { external_id, emoji: '❤️' } })
    await article(ana, 'Que bom!').getByText('❤️').waitFor()
    await simulate({ from, reaction: { external_id, emoji: null } })
    await expect
      .poll(() => article(ana, 'Que bom!').getByText('❤️').count())
      .toBe(0)
    await simulate({
      from,
      edit: { external_id: first.external_id, text: 'Chegou o pedido errado' },
    })
    await article(bruno, 'Chegou o pedido errado').getByText('edited').waitFor()
    await simulate({ from, revoke: { external_id: first.external_id } })
    await article(bruno, 'The customer deleted this message.').waitFor()
  })

  it('search messages with filters and open a result', async () => {
    const from = '+5511955558006'
    await customer(from, 'Gina Alves', 'Preciso do relatório trimestral')
    for (let n = 0; n < 60; n++) await customer(from, 'Gina Alves', `Item ${n}`)
    const sent = ana.waitForResponse(
      (answer) =>
        answer.request().method() === 'POST' &&
        answer.url().endsWith('/messages'),
    )
    await ana.route(
      /\/timeline/,
      (route) => sent.then(() => route.continue()),
      { times: 1 },
    ) // sent before the thread has loaded, but shown anyway
    await open(ana, 'Gina Alves')
    await message(ana).fill('O relatório trimestral vai amanhã')
    await message(ana).press('Enter')
    await log(ana).getByRole('img', { name: 'Sent' }).waitFor()
    await ana
      .getByRole('searchbox', { name: 'Search conversations' })
      .fill('RELATORIO trim')
    await ana.getByRole('button', { name: /^Search messages for/ }).click()
    const found = ana
      .getByRole('list', { name: 'Messages found' })
      .getByRole('link')
    await expect.poll(() => found.count()).toBe(2)
    await expect
      .poll(() => found.locator('mark').allTextContents())
      .toEqual(['relatório trim', 'relatório trim'])
    const filters = ana.getByRole('group', { name: 'Search filters' })
    await filters
      .getByRole('combobox', { name: 'Direction' })
      .selectOption('From the team')
    await expect
      .poll(() => found.allTextContents())
      .toEqual([expect.stringContaining('vai amanhã')])
    await filters
      .getByRole('combobox', { name: 'Sent by' })
      .selectOption('Bruno Tavares')
    await ana.getByText('No results.').waitFor()
    await ana.getByRole('button', { name: 'Clear filters' }).click()
    await filters.getByLabel('To', { exact: true }).fill('2020-01-01')
    await ana.getByText('No results.').waitFor()
    await ana.getByRole('button', { name: 'Clear filters' }).click()
    await filters
      .getByRole('combobox', { name: 'Direction' })
      .selectOption('From customers')
    await expect.poll(() => found.count()).toBe(1)
    await found.click()
    await article(ana, 'Preciso do relatório trimestral').waitFor()
    await expect
      .poll(() => inView(ana, 'Preciso do relatório trimestral'))
      .toBe(true)
    await expect.poll(() => found.count()).toBe(1)
    await ana.getByRole('searchbox', { name: 'Search conversations' }).fill('')
  })

  const small = {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  }
  const words = {
    en: {
      button: /^Notifications/,
      more: 'More',
      notes: 'Notes',
      details: 'Show details',
      actions: 'Message actions',
      save: 'Save as canned reply',
      search: 'Search conversations',
      inMessages: /^Search messages/,
      filters: 'Search filters',
    },
    'pt-BR': {
      button: /^Notificações/,
      more: 'Mais',
      notes: 'Notas',
      details: 'Mostrar detalhes',
      actions: 'Ações da mensagem',
      save: 'Salvar como resposta pronta',
      search: 'Buscar conversas',
      inMessages: /^Buscar mensagens/,
      filters: 'Filtros da busca',
    },
    es: {
      button: /^Notificaciones/,
      more: 'Más',
      notes: 'Notas',
      details: 'Mostrar detalles',
      actions: 'Acciones del mensaje',
      save: 'Guardar como respuesta rápida',
      search: 'Buscar conversaciones',
      inMessages: /^Buscar mensajes/,
      filters: 'Filtros de la búsqueda',
    },
  }
  const looks = [
    ['en', 'light', {}],
    ['pt-BR', 'dark', {}],
    ['es', 'dark', small],
  ] as const

  it.runIf(engine === 'SQLite').each(looks)(
    'have their screens in %s, %s, without a fault',
    async (language, colorScheme, size) => {
      const name = words[language]
      const { conversation } = await customer(
        '+5511955558007',
        'Iara Melo',
        'Qual o horário?',
      )
      await bruno.evaluate(
        ([id, mention]) =>
          fetch(`/v1/conversations/${id}/notes`, {
            method: 'POST',
            headers: { 'Content-Type': 'application/json' },
            body: JSON.stringify({
              client_id: crypto.randomUUID(),
              text: '@Ana Ribeiro liga *hoje*',
              mentions: [mention],
            }),
          }),
        [conversation, desk.company.user],
      )
      const { page, context } = await desk.page({ colorScheme, ...size })
      await desk.signIn(page)
      await speak(page, language)
      await page.goto(`${desk.url}/inbox/open/${conversation}`)
      const look = async (screen: string) => {
        await axe(page, `${screen} ${language} ${colorScheme}`)
        expect(
          ((await page.textContent('body')) ?? '').match(
            /\b(notifications|notes|saveReply|messageSearch|shell|message|details)\.[a-z]\w+/g,
          ),
        ).toBeNull()
        await expect
          .poll(() =>
            page.evaluate(
              () => document.documentElement.scrollWidth <= innerWidth,
            ),
          )
          .toBe(true)
      }
      const bubble = page
        .getByRole('article')
        .filter({ hasText: 'Qual o horário?' })
        .first()
      await bubble.hover()
      await bubble.getByRole('button', { name: name.actions }).click()
      await page.getByRole('menuitem', { name: name.save }).click()
      await dialog(page, name.save).getByRole('textbox').nth(2).waitFor()
      await look('save')
      await page.keyboard.press('Escape')
      if ('isMobile' in size) {
        await page.getByRole('button', { name: name.details }).click()
        await page
          .getByRole('region', { name: name.notes })
          .getByText('hoje')
          .first()
          .waitFor()
        await look('details')
        await page.goBack()
        await page.goBack()
        await page.getByRole('listbox').waitFor()
        await page
          .getByRole('navigation')
          .getByRole('button', { name: name.more, exact: true })
          .click()
        await page.getByRole('menuitem', { name: name.button }).click()
      } else {
        await page.getByRole('button', { name: name.details }).click()
        await page
          .getByRole('region', { name: name.notes })
          .getByText('hoje')
          .first()
          .waitFor()
        await page.getByRole('button', { name: name.button }).click()
      }
      const list = page
        .getByRole('dialog', { name: name.button })
        .getByRole('link')
        .first()
      await list.waitFor()
      await look('notifications')
      await list.click()
      await page
        .getByRole('article')
        .filter({ hasText: 'hoje' })
        .first()
        .waitFor()
      await page.goto(`${desk.url}/inbox/open?q=hor%C3%A1rio`)
      await page.getByRole('button', { name: name.inMessages }).click()
      await page.getByRole('group', { name: name.filters }).waitFor()
      await page.locator('mark').first().waitFor()
      await look('messages')
      await speak(page, 'en')
      await context.close()
    },
  )
})
