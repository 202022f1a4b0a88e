import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Desk, postgresOnly } from './desk'
import {
  axe,
  dialog,
  go,
  hasFocus,
  log,
  message,
  open,
  row,
  search,
  showDetails,
} from './parts'

const list = (page: Page, name: string) =>
  page.getByRole('list', { name, exact: true })
const names = (within: Locator) => within.locator('li strong').allInnerTexts()
const closing = (page: Page) => dialog(page, 'Close case')
const button = (within: Page | Locator, name: string) =>
  within.getByRole('button', { name, exact: true })

type Case = { conversation: string }
type Attendance = {
  id: string
  closing: { reason: { name: string } | null; note: string | null } | null
  fields: Record<string, unknown>
}

describe.each(postgresOnly)('closing cases, %s', (engine) => {
  let desk: Desk
  beforeAll(async () => {
    desk = await Desk.start({ engine })
    // The demo has some of its own.
    for (const path of ['/closing-reasons', '/fields']) {
      const { data } = (await desk.call('GET', path)) as {
        data: { id: string }[]
      }
      for (const { id } of data)
        await desk.call(
          'DELETE',
          path === '/fields' ? `${path}/${id}?confirm=true` : `${path}/${id}`,
        )
    }
  })
  afterAll(() => desk.stop())
  afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

  const last = async (conversation: string) => {
    const { data } = (await desk.call(
      'GET',
      `/attendances?conversation=${conversation}&limit=1`,
    )) as { data: Attendance[] }
    return data[0]
  }
  const require_ = (require_reason: boolean) =>
    desk.call('PATCH', '/company/attendance', { require_reason })

  it('has reasons that are created, ordered and required in the settings', async () => {
    const { page } = await desk.page({}, /status of 409 .*\/closing-reasons$/)
    await desk.signIn(page)
    await page.goto(`${desk.url}/settings/reasons`)
    await page.getByRole('heading', { name: 'Closing reasons' }).waitFor()
    await page.getByText('No closing reasons yet.').waitFor()
    const add = async (
      name: string,
      more?: (box: Locator) => Promise<void>,
    ) => {
      await button(page, 'New reason').click()
      const box = dialog(page, 'New reason')
      await hasFocus(box.getByRole('textbox', { name: 'Name' }))
      await page.keyboard.type(name)
      await more?.(box)
      await button(box, 'Save').click()
      return box
    }
    for (const name of ['Resolved', 'Spam', 'Refund'])
      await (
        await add(name, async (box) => {
          if (name === 'Refund')
            await box.getByRole('switch', { name: 'Requires a note' }).click()
        })
      ).waitFor({ state: 'detached' })
    const taken = await add('resolved')
    await taken.getByText('This name is already in use.').waitFor()
    await axe(page, 'a closing reason')
    await page.keyboard.press('Escape')
    const reasons = list(page, 'Closing reasons')
    await reasons.getByText('Note required').waitFor()
    await expect
      .poll(() => names(reasons))
      .toEqual(['Resolved', 'Spam', 'Refund'])

    await button(reasons, 'Move Refund').focus()
    await page.keyboard.press('ArrowUp')
    await expect
      .poll(() => names(reasons))
      .toEqual(['Resolved', 'Refund', 'Spam'])
    await hasFocus(button(reasons, 'Move Refund'))
    const stored = async () =>
      (
        (await desk.call('GET', '/closing-reasons')) as {
          data: { name: string; active: boolean }[]
        }
      ).data
    await reasons
      .getByRole('switch', { name: 'Spam can be chosen' })
      .press('Space')
    await expect
      .poll(async () => (await stored()).find((one) => !one.active)?.name)
      .toBe('Spam')
    await page
      .getByRole('switch', {
        name: 'People must choose a reason to close a case',
      })
      .click()
    await expect
      .poll(() => desk.call('GET', '/company/attendance'))
      .toMatchObject({ require_reason: true })
    // Last, because a click right after a drop belongs to the drop.
    const from = await button(reasons, 'Move Spam').boundingBox()
    const to = await button(reasons, 'Move Resolved').boundingBox()
    if (!from || !to) throw new Error('not in sight')
    await page.mouse.move(from.x + 10, from.y + 10)
    await page.mouse.down()
    await page.mouse.move(from.x + 10, from.y - 10, { steps: 4 })
    await page.mouse.move(to.x + 10, to.y - 4, { steps: 8 })
    await page.mouse.up()
    await expect
      .poll(() => names(reasons))
      .toEqual(['Spam', 'Resolved', 'Refund'])
    await expect
      .poll(async () => (await stored()).map((one) => one.name))
      .toEqual(['Spam', 'Resolved', 'Refund'])
    await axe(page, 'the closing reasons')
    await page.reload()
    await expect
      .poll(() => names(reasons))
      .toEqual(['Spam', 'Resolved', 'Refund'])
    expect(
      await reasons
        .getByRole('switch', { name: 'Spam can be chosen' })
        .isChecked(),
    ).toBe(false)
    await button(reasons, 'Delete Spam').click()
    const sure = page.getByRole('alertdialog', {
      name: 'Delete the reason Spam?',
    })
    await sure.getByText('Cases closed with it keep its name.').waitFor()
    await button(sure, 'Delete').click()
    await expect.poll(() => names(reasons)).toEqual(['Resolved', 'Refund'])
    await require_(false)
  })

  it('chooses a reason with the keyboard, and asks for what is required', async () => {
    const [sales] = desk.company.sectors
    await desk.call('POST', '/closing-reasons', {
      name: 'Order placed',
      sector_ids: [sales],
    })
    const { conversation } = (await desk.customer(
      '+5511955558101',
      'Rita Motivo',
      'Oi',
    )) as Case
    await require_(true)
    const { page } = await desk.page({}, /status of 400 .*\/attendance\/close$/)
    await desk.signIn(page)
    await open(page, 'Rita Motivo')
    await hasFocus(message(page))
    await page.keyboard.press('Escape')
    await page.keyboard.press('e')
    const reason = closing(page).getByRole('textbox', { name: 'Reason' })
    await hasFocus(reason)
    await expect
      .poll(() => closing(page).getByRole('option').allInnerTexts())
      .toEqual(['Resolved', 'Refund'])
    await axe(page, 'closing with a reason')
    await page.keyboard.press('Enter')
    await closing(page).getByText('Choose a reason.').waitFor()
    await page.keyboard.type('rEf')
    await expect
      .poll(() => closing(page).getByRole('option').allInnerTexts())
      .toEqual(['Refund'])
    await page.keyboard.press('Enter')
    await hasFocus(closing(page).getByRole('textbox', { name: 'Note' }))
    await page.keyboard.press('Enter')
    await closing(page).getByText('This reason needs a note.').waitFor()
    await page.keyboard.type('Order 1234 was paid twice')
    await page.keyboard.press('Enter')
    await closing(page).waitFor({ state: 'detached' })
    await button(page, 'Undo').hover() // so that it stays
    await log(page)
      .getByText(/closed case ATD-.*: Refund – Order 1234 was paid twice/)
      .waitFor()
    expect((await last(conversation))?.closing).toMatchObject({
      reason: { name: 'Refund' },
      note: 'Order 1234 was paid twice',
    })
    await button(page, 'Undo').click()
    await page.getByText('Case reopened.').first().waitFor()
    expect((await last(conversation))?.closing).toBeNull()

    // Sending and closing asks for the reason, too.
    await message(page).click()
    await page.keyboard.type('Obrigada!')
    await page.keyboard.press('Control+Shift+Enter')
    await hasFocus(reason)
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Sent the invoice')
    await page.keyboard.press('Enter')
    await closing(page).waitFor({ state: 'detached' })
    await log(page)
      .getByText(/closed case ATD-.*: Resolved/)
      .waitFor()
    const details = await showDetails(page)
    const facts = details.getByRole('region', { name: 'Case', exact: true })
    await facts.getByText('Resolved', { exact: true }).waitFor()
    await facts.getByText('Sent the invoice').waitFor()
    await axe(page, 'a case that was closed with a reason')
    await require_(false)
  })

  it('closes several cases with one reason that fits all', async () => {
    const [sales] = desk.company.sectors
    const cases: string[] = []
    for (const n of [1, 2])
      cases.push(
        (
          (await desk.customer(
            `+551195555820${n}`,
            `Lote Motivo ${n}`,
            'Oi',
          )) as Case
        ).conversation,
      )
    await desk.call('PUT', `/conversations/${cases[0]}/sector`, {
      sector_id: sales,
    })
    await require_(true)
    const { page } = await desk.page()
    await desk.signIn(page)
    await search(page, 'Lote Motivo')
    for (const n of [1, 2]) {
      await row(page, `Lote Motivo ${n}`).hover()
      await page
        .getByRole('checkbox', { name: `Select Lote Motivo ${n}` })
        .click()
    }
    await button(
      page.getByRole('toolbar', { name: '2 selected' }),
      'Close',
    ).click()
    await expect
      .poll(() => closing(page).getByRole('option').allInnerTexts())
      .toEqual(['Resolved', 'Refund'])
    await closing(page).getByRole('option', { name: 'Resolved' }).click()
    await page.keyboard.type('Mutirão')
    await button(closing(page), 'Close case').click()
    await closing(page).waitFor({ state: 'detached' })
    for (const conversation of cases)
      await expect
        .poll(async () => (await last(conversation))?.closing)
        .toMatchObject({ reason: { name: 'Resolved' }, note: 'Mutirão' })
    await require_(false)
  })

  it('has fields that are created in the settings and fit their type', async () => {
    await desk.customer('+5511955558301', 'Vera Campos', 'Oi')
    const { page } = await desk.page()
    await desk.signIn(page)
    await page.goto(`${desk.url}/settings/fields`)
    await page.getByText('No fields yet.').waitFor()
    const add = async (
      name: string,
      type: string,
      more?: (box: Locator) => Promise<void>,
    ) => {
      await button(page, 'New field').click()
      const box = dialog(page, 'New field')
      await hasFocus(box.getByRole('textbox', { name: 'Name' }))
      await page.keyboard.type(name)
      await box.getByRole('combobox', { name: 'Type' }).selectOption(type)
      await more?.(box)
      await button(box, 'Save').click()
      await box.waitFor({ state: 'detached' })
    }
    await add('Documento', 'CPF', async (box) => {
      await expect
        .poll(() => box.getByRole('textbox', { name: 'Key' }).inputValue())
        .toBe('documento')
    })
    await add('Segmento', 'Choice from a list', async (box) => {
      await box.getByRole('textbox', { name: 'Options' }).click()
      await page.keyboard.type('Varejo')
      await page.keyboard.press('Enter')
      await page.keyboard.type('Atacado')
      await axe(page, 'a new field')
    })
    await add('Site', 'Link')
    const contacts = list(page, 'Contacts')
    await button(contacts, 'Move Site').focus()
    await page.keyboard.press('ArrowUp')
    await expect
      .poll(() => names(contacts))
      .toEqual(['Documento documento', 'Site site', 'Segmento segmento'])
    await axe(page, 'the fields')
    await button(contacts, 'Delete Site').click()
    const sure = page.getByRole('alertdialog', {
      name: /Delete the field Site/,
    })
    await sure.getByText('All its values are deleted with it.').waitFor()
    await button(sure, 'Cancel').click()

    await go(page, '/contacts')
    await page.getByRole('link', { name: 'Vera Campos' }).click()
    const person = page.getByRole('region', { name: 'Contact', exact: true })
    const document = person.getByRole('textbox', { name: 'Documento' })
    await document.click()
    await page.keyboard.type('11144477736')
    await expect.poll(() => document.inputValue()).toBe('111.444.777-36')
    await page.keyboard.press('Enter')
    await person.getByText('This CPF isn’t valid. Check the digits.').waitFor()
    await axe(page, 'a contact with fields')
    await document.click()
    await page.keyboard.press('End')
    await page.keyboard.press('Backspace')
    await page.keyboard.type('5')
    await page.keyboard.press('Enter')
    await person.getByText('Saved').waitFor()
    await person.getByRole('textbox', { name: 'Site' }).click()
    await page.keyboard.type('example.com/vera')
    await page.keyboard.press('Enter')
    await expect
      .poll(() =>
        person.getByRole('link', { name: 'Open Site' }).getAttribute('href'),
      )
      .toBe('https://example.com/vera')
    await person
      .getByRole('combobox', { name: 'Segmento' })
      .selectOption('Atacado')
    await expect
      .poll(async () =>
        JSON.stringify(
          (await desk.call('GET', '/contacts?q=Vera%20Campos')).data,
        ),
      )
      .toContain('Atacado')

    // The list is filtered by a field.
    await page.getByRole('combobox', { name: 'Field' }).selectOption('Segmento')
    await page
      .getByRole('combobox', { name: 'Value of Segmento' })
      .selectOption('Atacado')
    const rows = page.getByRole('table', { name: 'Contacts' }).getByRole('row')
    await expect.poll(() => rows.count()).toBe(2)
    await page
      .getByRole('combobox', { name: 'Value of Segmento' })
      .selectOption('Varejo')
    await page.getByText('No results.').waitFor()

    // Canned replies offer the fields of contacts.
    await go(page, '/settings/replies')
    await button(page, 'New reply').click()
    await button(dialog(page, 'New reply'), 'Documento').click()
    await expect
      .poll(() =>
        dialog(page, 'New reply')
          .getByRole('textbox', { name: 'Text' })
          .inputValue(),
      )
      .toBe('{{contact.fields.documento}}')
  })

  it('asks for missing required fields when a case is closed, also on the board', async () => {
    for (const body of [
      {
        entity: 'contact',
        key: 'cliente',
        name: 'Número do cliente',
        type: 'number',
        required_on_close: true,
      },
      {
        entity: 'attendance',
        key: 'garantia',
        name: 'Na garantia',
        type: 'bool',
        required_on_close: true,
      },
      { entity: 'card', key: 'valor', name: 'Valor', type: 'number' },
    ])
      await desk.call('POST', '/fields', body)
    const { conversation } = (await desk.customer(
      '+5511955558401',
      'Zilda Falta',
      'Oi',
    )) as Case
    const { page } = await desk.page({}, /status of 400 .*\/attendance\/close$/)
    await desk.signIn(page)
    const { data } = (await desk.call(
      'GET',
      `/kanban/cards?status=all&conversation=${conversation}`,
    )) as { data: { id: string; board_id: string }[] }
    const [card] = data
    await go(page, `/boards/${card?.board_id}?card=${card?.id}`)
    await dialog(page, 'Card').getByRole('textbox', { name: 'Valor' }).click()
    await page.keyboard.type('12.5')
    await button(dialog(page, 'Card'), 'Save').click()
    await dialog(page, 'Card').waitFor({ state: 'detached' })
    await expect
      .poll(() => desk.call('GET', `/kanban/cards/${card?.id}`))
      .toMatchObject({ fields: { valor: 12.5 } })
    await page.getByRole('combobox', { name: 'Field' }).selectOption('Valor')
    await page.getByRole('searchbox', { name: 'Value of Valor' }).click()
    await page.keyboard.type('12.5')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /^Zilda Falta · ATD-/ }).waitFor()
    await expect.poll(() => page.locator('[data-card]').count()).toBe(1)
    await axe(page, 'a board filtered by a field')

    await go(page, `/boards/${card?.board_id}?card=${card?.id}`)
    await button(dialog(page, 'Card'), 'Move to...').click()
    await page.getByRole('menuitem', { name: 'Done' }).click()
    await closing(page)
      .getByRole('textbox', { name: 'Número do cliente' })
      .waitFor()
    await axe(page, 'closing with required fields')
    await button(closing(page), 'Close case').click()
    await expect
      .poll(() => closing(page).getByText('Required.').count())
      .toBe(2)
    await page.keyboard.type('77')
    await closing(page).getByRole('radio', { name: 'No' }).click()
    await button(closing(page), 'Close case').click()
    await closing(page).waitFor({ state: 'detached' })
    expect(await last(conversation)).toMatchObject({
      fields: { garantia: false },
      closing: { reason: null },
    })

    await go(page, '/inbox/open')
    await open(page, 'Zilda Falta')
    const details = await showDetails(page)
    await expect
      .poll(() =>
        details
          .getByRole('textbox', { name: 'Número do cliente' })
          .inputValue(),
      )
      .toBe('77')
    const warranty = details.getByRole('switch', { name: 'Na garantia' })
    expect(await warranty.isChecked()).toBe(false)
    await desk.call('PATCH', `/attendances/${(await last(conversation))?.id}`, {
      fields: { garantia: true },
    })
    await expect.poll(() => warranty.isChecked()).toBe(true)
    await warranty.click()
    await expect
      .poll(async () => (await last(conversation))?.fields)
      .toEqual({ garantia: false })
    await axe(page, 'a conversation with fields')
  })
})
