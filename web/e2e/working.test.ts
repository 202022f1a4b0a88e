import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Desk } from './desk'
import { axe, dialog, hasFocus, log, message, row, rows, show } from './parts'

// Working through the list: layout, focus and keys, moving on, search, filters and bulk actions.

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

const laptop = { viewport: { width: 1280, height: 720 } }
const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: true })
const field = (page: Page) =>
  page.getByRole('searchbox', { name: 'Search conversations' })
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { name, level: 2, exact: true })
const views = (page: Page) => page.getByRole('navigation', { name: 'Views' })
const details = (page: Page) =>
  page.getByRole('complementary', { name: 'Details' })
const names = (page: Page) =>
  rows(page)
    .getByRole('option')
    .evaluateAll((all) =>
      all.map((one) => (one.textContent ?? '').split(',')[0]),
    )

/** customers lets several people write one after the other and returns their conversations. */
async function customers(phone: string, people: string[]): Promise<string[]> {
  const made: string[] = []
  for (const [n, name] of people.entries()) {
    const { conversation } = (await desk.customer(
      `${phone}${n}`,
      name,
      `Oi, aqui é ${name}`,
    )) as { conversation: string }
    made.push(conversation)
  }
  return made
}

/** waiting opens the queue with the newest customers on top, where they are rendered. */
const waiting = (page: Page) =>
  page.goto(`${desk.url}/inbox/waiting?sort=newest`)

/** chatWidth returns the width of the conversation. */
const chatWidth = async (page: Page) =>
  (await page.getByRole('region', { name: 'Conversation' }).boundingBox())
    ?.width ?? 0

it('gives the conversation room and remembers which columns are open', async () => {
  await customers('+551195000000', ['Larissa Espaço'])
  const { page } = await desk.page(laptop)
  await desk.signIn(page)
  await show(page, /^All open/)
  await row(page, 'Larissa Espaço').click()
  await message(page).waitFor()
  expect(await chatWidth(page)).toBeGreaterThanOrEqual(480)
  await expect.poll(() => details(page).count()).toBe(0)
  const [header, send] = await Promise.all([
    heading(page, 'Larissa Espaço').boundingBox(),
    button(page, 'Show details').boundingBox(),
  ])
  expect(Math.abs((header?.y ?? 0) - (send?.y ?? 99))).toBeLessThan(24) // one line
  await button(page, 'Show details').click()
  await details(page).waitFor()
  const width = await chatWidth(page)
  await message(page).fill('Um momento')
  await button(page, 'Send').click({ trial: true }) // the details do not cover it
  await message(page).fill('')
  await button(page, 'Show details').focus()
  await page.keyboard.press('Escape')
  await details(page).waitFor({ state: 'detached' })
  await expect.poll(() => chatWidth(page)).toBe(width) // they opened over the conversation

  await button(page, 'Hide views').click()
  await views(page).waitFor({ state: 'detached' })
  await page.getByRole('combobox', { name: 'Views' }).waitFor()
  await page.reload()
  await button(page, 'Show views').waitFor()
  expect(await views(page).count()).toBe(0)
  await button(page, 'Show views').click()
  await views(page).waitFor()

  await page.setViewportSize({ width: 1024, height: 768 })
  await views(page).waitFor({ state: 'detached' })
  expect(await chatWidth(page)).toBeGreaterThanOrEqual(480)
  const narrow = await chatWidth(page)
  await button(page, 'Show views').click()
  await views(page).waitFor()
  expect(await chatWidth(page)).toBe(narrow) // they opened over the list
  await axe(page, 'views over the list')
  await views(page).getByRole('link', { name: /^Mine/ }).click()
  await views(page).waitFor({ state: 'detached' })
  await page.goBack()

  await page.setViewportSize({ width: 1600, height: 900 })
  await details(page).waitFor()
  expect(await chatWidth(page)).toBeGreaterThanOrEqual(480)
  await button(page, 'Hide details').click()
  await details(page).waitFor({ state: 'detached' })
  await page.reload()
  await message(page).waitFor()
  expect(await details(page).count()).toBe(0)
  await button(page, 'Show details').click()
  await details(page).waitFor()
})

it('types what is typed after a click, and uses keys as shortcuts after Escape', async () => {
  const [first = ''] = await customers('+551195000010', [
    'Foco Um',
    'Foco Dois',
  ])
  const { page } = await desk.page(laptop)
  await desk.signIn(page)
  await show(page, /^All open/)
  await row(page, 'Foco Um').click()
  await page.keyboard.type('agora sim, ') // at once
  await expect.poll(() => message(page).inputValue()).toMatch(/^agora sim, ?$/)
  await hasFocus(message(page))

  // A click into the conversation, or on one of its buttons, keeps keys text.
  await log(page).getByText('Oi, aqui é Foco Um').click()
  await page.keyboard.type('e mais')
  await expect
    .poll(() => message(page).inputValue())
    .toMatch(/^agora sim, ?e mais$/)
  await button(page, /^Copy protocol/).click()
  await page.keyboard.type('?')
  await expect.poll(() => message(page).inputValue()).toMatch(/mais\?$/)
  expect(await page.getByRole('dialog').count()).toBe(0)
  const { assignee } = (await desk.call('GET', `/conversations/${first}`)) as {
    assignee: string | null
  }
  expect(assignee).toBeNull()

  // Escape leaves the composer: j and k move without entering it, a does nothing.
  await message(page).press('Escape')
  await page.keyboard.press('a')
  await page.keyboard.press('k')
  await heading(page, 'Foco Dois').waitFor()
  await page.keyboard.press('j')
  await heading(page, 'Foco Um').waitFor()
  await message(page).waitFor()
  expect(
    await message(page).evaluate((one) => one === document.activeElement),
  ).toBe(false)
  await page.keyboard.press('t')
  await dialog(page, 'Transfer conversation').waitFor()
  await page.keyboard.press('Escape')
  await dialog(page, 'Transfer conversation').waitFor({ state: 'detached' })

  // Arrows move in the list, Enter goes to the composer.
  await rows(page).focus()
  await page.keyboard.press('ArrowUp')
  await heading(page, 'Foco Dois').waitFor()
  await hasFocus(rows(page))
  await page.keyboard.press('Enter')
  await page.keyboard.type('Olá')
  await expect.poll(() => message(page).inputValue()).toBe('Olá')
  await message(page).fill('')

  await page.keyboard.press('Escape')
  await page.keyboard.press('?')
  await dialog(page, 'Keyboard shortcuts').waitFor()
  expect(
    await dialog(page, 'Keyboard shortcuts').getByText('Assign to me').count(),
  ).toBe(0)
})

it('goes on to the right neighbour and keeps the open conversation in its list', async () => {
  const people = ['Fila A', 'Fila B', 'Fila C', 'Fila D', 'Fila E']
  await customers('+551195000020', people.toReversed())
  const { page } = await desk.page({ viewport: { width: 1440, height: 900 } })
  await desk.signIn(page)
  await waiting(page)
  const fila = async () =>
    (await names(page)).filter((name) => name?.startsWith('Fila'))
  await expect.poll(fila).toEqual(people)

  // A reply takes the case, which leaves Waiting; its row stays, dimmed, where it was.
  await row(page, 'Fila B').click()
  await message(page).fill('Bom dia')
  await message(page).press('Enter')
  await log(page).getByText('Bom dia', { exact: true }).waitFor()
  await row(page, 'Fila B').and(page.locator('[data-gone]')).waitFor()
  await log(page).hover()
  await expect.poll(fila).toEqual(people)

  // Closing goes on to the next one, whether or not the row is still there.
  const closeAndNext = async (from: string, to: string) => {
    await heading(page, from).waitFor()
    await button(page, 'Close case').click()
    await button(page, 'Close and next').click()
    await heading(page, to).waitFor()
    await row(page, to).and(page.locator('[aria-selected=true]')).waitFor()
  }
  await closeAndNext('Fila B', 'Fila C')
  await hasFocus(message(page))
  await row(page, 'Fila B').waitFor({ state: 'detached' })
  await closeAndNext('Fila C', 'Fila D')
  await closeAndNext('Fila D', 'Fila E')

  // The same in a list that is sorted by the newest message.
  await show(page, /^All open/)
  await row(page, 'Fila E').click()
  await message(page).waitFor()
  await message(page).press('Escape')
  await page.keyboard.press('e')
  await hasFocus(dialog(page, 'Close case').getByRole('textbox'))
  await page.keyboard.press('Enter')
  await dialog(page, 'Close case').waitFor({ state: 'detached' })
  await row(page, 'Fila E').and(page.locator('[data-gone]')).waitFor()
  const all = await names(page)
  const next = all[all.indexOf('Fila E') + 1] ?? ''
  await page.keyboard.press('j')
  await heading(page, next).waitFor()
})

it('shows numbers, private numbers and labels in rows, and pinned conversations on top', async () => {
  const [plain = '', pinned = ''] = await customers('+551195000030', [
    'Linha Comum',
    'Linha Fixa',
    'Linha Nova',
  ])
  const labels: string[] = []
  for (const name of ['Orçamento', 'Garantia', 'Fornecedor', 'Retorno'])
    labels.push(
      String(
        (await desk.call('POST', '/labels', { name, color: '#1565c0' })).id,
      ),
    )
  await desk.call('PATCH', `/conversations/${plain}`, { label_ids: labels })
  const { page } = await desk.page(laptop)
  await desk.signIn(page)
  await page.evaluate(
    async ([id]) =>
      fetch(`/v1/conversations/${id}`, {
        method: 'PATCH',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ pinned: true }),
      }),
    [pinned],
  )
  for (const view of [
    'open',
    'waiting?sort=oldest_waiting',
    'waiting?sort=newest',
  ]) {
    await page.goto(`${desk.url}/inbox/${view}`)
    await expect
      .poll(async () => (await names(page)).indexOf('Linha Fixa'))
      .toBeLessThan(2) // the demo has one more
  }
  const labelled = row(page, 'Linha Comum')
  await labelled.getByText('Loja', { exact: true }).waitFor()
  await labelled.getByText('Orçamento', { exact: true }).waitFor()
  const hidden = /^\+(\d)$/.exec(
    (await labelled.getByText(/^\+\d$/).textContent()) ?? '',
  )?.[1]
  const chips = await labelled.locator('[data-label]').count()
  expect(chips + Number(hidden)).toBe(4)
  expect(
    await labelled.locator('[data-label]').evaluateAll((all) =>
      all.every((one) => {
        const name = one.lastElementChild
        return name && name.scrollWidth <= name.clientWidth
      }),
    ),
  ).toBe(true) // whole words
  await row(page, 'Confidential').getByLabel('Private number').waitFor()
})

it('searches people, cases and messages at once', async () => {
  const [achada = ''] = await customers('+551195000040', [
    'Busca Central',
    'Busca Norte',
  ])
  await desk.customer('+5511950000409', 'Outra Pessoa', 'Vi a busca no site')
  const { attendance } = (await desk.call(
    'GET',
    `/conversations/${achada}`,
  )) as { attendance: { protocol: string } }
  await desk.call('POST', '/contacts', {
    name: 'Busca Sem Conversa',
    phone: '+5511950000499',
  })
  const { page } = await desk.page(laptop)
  await desk.signIn(page)
  await show(page, /^All open/)
  await field(page).fill('busca')
  for (const title of ['Conversations', 'Contacts', 'Messages'])
    await heading(page, title).waitFor()
  await page.getByRole('link', { name: /^Busca Sem Conversa/ }).waitFor()
  const found = page
    .getByRole('list', { name: 'Messages found' })
    .getByRole('link')
  await found.filter({ hasText: 'Vi a busca no site' }).waitFor()
  await axe(page, 'search results')

  // Down goes into the results and through them, Up back to the field.
  await field(page).press('ArrowDown')
  await hasFocus(rows(page))
  const first = (await names(page))[0] ?? ''
  await heading(page, first).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await hasFocus(page.getByRole('link', { name: /^Busca Sem Conversa/ }))
  await page.keyboard.press('ArrowDown')
  await hasFocus(found.first())
  await found.filter({ hasText: 'Vi a busca no site' }).click()
  await heading(page, 'Outra Pessoa').waitFor()
  await log(page).getByText('Vi a busca no site').waitFor()

  await button(page, /^Search messages for .busca.$/).click()
  await page
    .getByRole('group', { name: 'Search filters' })
    .getByRole('combobox', { name: 'Direction' })
    .selectOption('From the team')
  await page.getByText('No results.').waitFor()
  await button(page, 'All results').click()
  await rows(page).waitFor()

  await button(page, 'Clear search').click()
  await hasFocus(field(page))
  expect(await field(page).inputValue()).toBe('')
  await heading(page, 'Messages').waitFor({ state: 'detached' })

  await field(page).fill(attendance.protocol)
  await field(page).press('Enter')
  await heading(page, 'Busca Central').waitFor()
  await button(page, new RegExp(`^Open ${attendance.protocol}`)).waitFor()
})

it('filters in a popover, shows chips, and opens a saved view', async () => {
  const { page } = await desk.page(laptop)
  await desk.signIn(page)
  await show(page, /^All open/)
  const top = async () => (await rows(page).boundingBox())?.y
  await rows(page).waitFor()
  const before = await top()
  await button(page, 'Filters').click()
  const filters = dialog(page, 'Filters')
  await filters.getByRole('combobox', { name: 'Kind' }).waitFor()
  expect(await top()).toBe(before)
  await axe(page, 'filters')
  await page.keyboard.press('Escape')
  await filters.waitFor({ state: 'detached' })
  await hasFocus(button(page, 'Filters'))
  await button(page, 'Filters').click()
  await filters
    .getByRole('combobox', { name: 'Label' })
    .selectOption({ index: 1 })
  await filters
    .getByRole('combobox', { name: 'Person' })
    .selectOption({ label: 'Nobody' })
  await page.getByText('Choose a conversation').click()
  await filters.waitFor({ state: 'detached' }) // pressed outside
  await button(page, 'Remove filter Person: Nobody').click()
  await expect
    .poll(() => new URL(page.url()).searchParams.has('person'))
    .toBe(false)
  await button(page, /^Remove filter Label: /).waitFor()
  await button(page, 'Filters').click()
  await filters.getByRole('button', { name: 'Save view' }).click()
  await hasFocus(filters.getByRole('textbox', { name: 'View name' }))
  await page.keyboard.type('Minha seleção')
  await page.keyboard.press('Enter')
  await views(page)
    .getByRole('link', { name: /^Minha seleção/ })
    .and(page.locator('[aria-current=page]'))
    .waitFor()
  await filters.waitFor({ state: 'detached' })
})

it('selects rows and changes them together', async () => {
  await customers('+551195000050', ['Lote Um', 'Lote Dois', 'Lote Três'])
  const { page } = await desk.page(laptop)
  await desk.signIn(page)
  await waiting(page)
  await button(page, 'Select').click()
  const bar = (n: number) =>
    page.getByRole('toolbar', { name: `${n} selected`, exact: true })
  await bar(0).waitFor()
  for (const name of ['Assign to me', 'Transfer', 'Close', 'Mark as read'])
    expect(
      await bar(0).getByRole('button', { name, exact: true }).isDisabled(),
    ).toBe(true)
  await row(page, 'Lote Um').click()
  await row(page, 'Lote Dois').click()
  await page.getByRole('checkbox', { name: 'Select Lote Três' }).click()
  await row(page, 'Lote Três').click() // and off again
  await bar(2).waitFor()
  await axe(page, 'select mode')
  await bar(2).getByRole('button', { name: 'More', exact: true }).click()
  for (const name of ['Mark as unread', 'Snooze', 'Archive'])
    await page.getByRole('menuitem', { name, exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await bar(2).getByRole('button', { name: 'Assign to me' }).click()
  await page.getByText('2 conversations updated.').waitFor()
  await page.getByRole('toolbar').waitFor({ state: 'detached' })
  await row(page, 'Lote Um').waitFor({ state: 'detached' })
  await row(page, 'Lote Três').waitFor()
})

it('gives a conversation the whole screen of a phone', async () => {
  await customers('+551195000060', ['Telefone Inteiro'])
  const { page } = await desk.page({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  await desk.signIn(page)
  const main = page.getByRole('navigation', { name: 'Main' })
  await main.waitFor()
  await page.getByRole('combobox', { name: 'Views' }).selectOption('open')
  await row(page, 'Telefone Inteiro').tap()
  await log(page).getByText('Oi, aqui é Telefone Inteiro').waitFor()
  await expect.poll(() => main.isVisible()).toBe(false)
  const box = await page
    .getByRole('region', { name: 'Conversation' })
    .boundingBox()
  expect(box?.height).toBe(844)
  expect(
    await message(page).evaluate((one) => one === document.activeElement),
  ).toBe(false) // the keyboard stays away until it is wanted
  const room = page.getByRole('heading', { level: 1 }).locator('..')
  expect((await room.boundingBox())?.width).toBeGreaterThan(140)
  await button(page, 'More actions').tap()
  await page.getByRole('menuitem', { name: 'Transfer', exact: true }).tap()
  const transfer = page.getByRole('dialog', { name: 'Transfer conversation' })
  await transfer.getByRole('button', { name: 'Dismiss' }).tap()
  await transfer.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Back' }).tap()
  await main.waitFor()
  await rows(page).waitFor()
})
