import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Desk, postgresOnly } from './desk'
import { axe, dialog, log, showDetails } from './parts'

const table = (page: Page) => page.getByRole('table', { name: 'Contacts' })
const person = (page: Page, name: string | RegExp) =>
  table(page).getByRole('row', { name })
const details = (page: Page) =>
  page.getByRole('complementary', { name: 'Details' })
const search = (page: Page) =>
  page.getByRole('searchbox', { name: 'Search contacts' })

/** visit signs in and opens the contacts. */
async function visit(desk: Desk, page: Page): Promise<void> {
  await desk.signIn(page)
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Contacts' })
    .click()
  await table(page).waitFor()
}

describe.each(postgresOnly)('on %s', (engine) => {
  let desk: Desk
  beforeAll(async () => {
    desk = await Desk.start({ engine })
  })
  afterAll(() => desk.stop())
  afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

  it('finds a contact by name, phone and filter, and keeps the search in the URL', async () => {
    const { page } = await desk.page()
    await visit(desk, page)
    await expect
      .poll(() => table(page).getByRole('columnheader').allTextContents())
      .toEqual([
        'Name',
        'Phone',
        'Company',
        'City',
        'Labels',
        'Channel',
        'Since',
      ])
    await search(page).fill('tereza silv')
    await person(page, /Rafael Costa/).waitFor({ state: 'detached' })
    await person(page, /Tereza Silveira/).waitFor()
    await search(page).fill('91234-5602')
    await person(page, /Mercado Bom Preço/).waitFor()
    await page
      .getByRole('combobox', { name: 'Channel' })
      .selectOption({ label: 'Loja' })
    await expect
      .poll(() => new URL(page.url()).searchParams.get('q'))
      .toBe('91234-5602')
    await page.reload()
    await person(page, /Mercado Bom Preço/).waitFor()
    await expect.poll(() => search(page).inputValue()).toBe('91234-5602')
    await search(page).fill('nobody has this name')
    await page.getByRole('status').filter({ hasText: 'No results.' }).waitFor()
    await page.getByRole('button', { name: 'Clear search and filters' }).click()
    await person(page, /Tereza Silveira/).waitFor()
  })

  it('shows all conversations and cases of a contact', async () => {
    const [aline] = (await desk.call('GET', '/contacts?q=Aline%20Teixeira'))
      .data as { phone: string }[]
    const branch = await desk.call('POST', '/channels', {
      name: 'Filial',
      provider: 'sandbox',
      phone: '+5511955557002',
    })
    await desk.call('POST', `/channels/${String(branch.id)}/simulate`, {
      from: aline?.phone,
      name: 'Aline Teixeira',
      text: 'Vocês abrem na filial?',
    })
    const { page } = await desk.page({}, /status of 400 .*\/conversations/)
    await visit(desk, page)
    // The server rejects the first request and then returns one conversation per page.
    let refuse = true
    await page.route('**/v1/conversations?contact=*', async (route) => {
      const url = route.request().url()
      await route.continue({
        url: refuse
          ? url.replace(/limit=\d+/, 'limit=0')
          : url.replace(/limit=\d+/, 'limit=1'),
      })
      refuse = false
    })
    await person(page, /Aline Teixeira/).click()
    const region = details(page).getByRole('region', { name: 'Conversations' })
    await region
      .getByRole('alert')
      .getByRole('button', { name: 'Try again' })
      .click()
    await region.getByRole('link', { name: /Filial/ }).waitFor()
    await expect.poll(() => region.getByRole('link').count()).toBe(1)
    await region.getByRole('button', { name: 'Show more' }).click()
    await region.getByRole('link', { name: /Loja/ }).waitFor()
    await page.unrouteAll()
    await region
      .getByText(/^ATD-\d+$/)
      .first()
      .waitFor()
    await region.getByText('Closed', { exact: true }).first().waitFor()
    await expect.poll(() => region.innerText()).toContain('respondido')
    await page.reload()
    await details(page)
      .getByRole('heading', { name: 'Aline Teixeira' })
      .waitFor()
    await region.getByRole('link', { name: /Loja/ }).click()
    await log(page).getByText('Vocês abrem no feriado?').waitFor()
  })

  it('moves an open case to another department and keeps the assignee', async () => {
    const { conversation } = await desk.customer(
      '+5511955557003',
      'Rui Prado',
      'Bom dia',
    )
    await desk.call('POST', `/conversations/${String(conversation)}/take`)
    const { page } = await desk.page()
    await desk.session(page)
    await page.goto(`${desk.url}/inbox/open/${String(conversation)}`)
    const sector = (await showDetails(page)).getByRole('combobox', {
      name: 'Department',
    })
    await sector.selectOption({ label: 'Financeiro' })
    await expect.poll(() => sector.inputValue()).not.toBe('')
    const chosen = await sector.inputValue()
    await expect
      .poll(() => desk.call('GET', `/conversations/${String(conversation)}`))
      .toMatchObject({ sector: chosen, assignee: desk.company.user })
  })

  it('saves fields on blur, adds labels and blocks', async () => {
    const label = String(
      (
        await desk.call('POST', '/labels', {
          name: `Fiel ${engine}`,
          color: '#0b7a5b',
        })
      ).name,
    )
    const made = await desk.call('POST', '/contacts', {
      name: 'Otávio Reis',
      phone: '+5511955551001',
    })
    const { page } = await desk.page()
    await desk.session(page)
    await page.goto(`${desk.url}/contacts/${String(made.id)}`)
    await details(page).getByRole('textbox', { name: 'City' }).fill('Campinas')
    await details(page).getByRole('textbox', { name: 'Company' }).click()
    await details(page)
      .getByRole('status')
      .filter({ hasText: 'Saved' })
      .waitFor()
    await person(page, /Otávio Reis.*Campinas/).waitFor()
    await details(page).getByRole('textbox', { name: 'Name' }).fill('  ')
    await details(page).getByRole('textbox', { name: 'Company' }).click()
    await expect
      .poll(() =>
        details(page).getByRole('textbox', { name: 'Name' }).inputValue(),
      )
      .toBe('Otávio Reis')
    await details(page).getByRole('combobox', { name: 'Labels' }).click()
    await page
      .getByRole('listbox', { name: 'Labels' })
      .getByRole('option', { name: label })
      .click()
    await person(page, new RegExp(`Otávio Reis.*${label}`)).waitFor()
    await page.keyboard.press('Escape')
    await details(page)
      .getByRole('switch', { name: 'Automatic messages' })
      .click()
    await expect
      .poll(() => desk.call('GET', `/contacts/${String(made.id)}`))
      .toMatchObject({ automation: false })
    await details(page).getByRole('switch', { name: 'Blocked' }).click()
    await page
      .getByRole('alertdialog', { name: 'Block contact' })
      .getByRole('button', { name: 'Block contact' })
      .click()
    await person(page, /Otávio Reis.*Blocked/).waitFor()
    await expect
      .poll(() =>
        details(page)
          .getByRole('button', { name: 'Start conversation' })
          .isDisabled(),
      )
      .toBe(true)
    await page
      .getByRole('combobox', { name: 'Label', exact: true })
      .selectOption({ label })
    await expect.poll(() => table(page).getByRole('row').count()).toBe(2)
    await expect
      .poll(() => desk.call('GET', `/contacts/${String(made.id)}`))
      .toMatchObject({ city: 'Campinas', blocked: true, name: 'Otávio Reis' })
  })

  it('creates a contact, links to an existing one, and starts a conversation from a connected number', async () => {
    const spare = await desk.call('POST', '/channels', {
      name: 'Reserva',
      provider: 'sandbox',
      phone: '+5511955557001',
    })
    await desk.call('PATCH', `/channels/${String(spare.id)}`, {
      status: 'disconnected',
    })
    const { page } = await desk.page({}, /409/)
    await visit(desk, page)
    await page.getByRole('button', { name: 'New contact' }).click()
    const form = dialog(page, 'New contact')
    await form.getByRole('textbox', { name: 'Name' }).fill('Nair Prado')
    await form
      .getByRole('textbox', { name: 'Phone' })
      .pressSequentially('11955551002')
    await expect
      .poll(() => form.getByRole('textbox', { name: 'Phone' }).inputValue())
      .toBe('+55 11 95555-1002')
    await form.getByRole('textbox', { name: 'Company' }).fill('Prado e Filhas')
    await form.getByRole('button', { name: 'Create contact' }).click()
    await details(page).getByRole('heading', { name: 'Nair Prado' }).waitFor()
    await person(page, /Nair Prado.*Prado e Filhas/).waitFor()
    await details(page).getByText('No conversations you can see.').waitFor()

    await page.getByRole('button', { name: 'New contact' }).click()
    await form.getByRole('textbox', { name: 'Name' }).fill('Nair again')
    await form.getByRole('textbox', { name: 'Phone' }).fill('+55 11 95555-1002')
    await form.getByRole('button', { name: 'Create contact' }).click()
    await form
      .getByRole('alert')
      .getByText('You already have a contact with this phone number.')
      .waitFor()
    await form.getByRole('link', { name: 'Open contact' }).click()
    await form.waitFor({ state: 'detached' })
    await details(page).getByRole('heading', { name: 'Nair Prado' }).waitFor()

    await details(page)
      .getByRole('button', { name: 'Start conversation' })
      .click()
    await expect
      .poll(() =>
        page
          .getByRole('menuitem', {
            name: 'Reserva, +55 11 95555-7001 (disconnected)',
          })
          .isDisabled(),
      )
      .toBe(true)
    await page.getByRole('menuitem', { name: /^Loja/ }).click()
    await page.getByRole('form', { name: 'Answer' }).waitFor()
    await expect.poll(() => page.url()).toContain('/inbox/open/')
    await page.getByRole('button', { name: 'New conversation' }).first().click()
    const number = dialog(page, 'New conversation').getByRole('combobox', {
      name: 'Number',
    })
    await expect
      .poll(() =>
        number
          .getByRole('option', { name: /^Reserva.*\(disconnected\)$/ })
          .isDisabled(),
      )
      .toBe(true)
    await expect
      .poll(() => number.getByRole('option', { selected: true }).textContent())
      .not.toContain('disconnected')
  })

  it('changes the phone of a contact without conversations and deletes the contact', async () => {
    const made = await desk.call('POST', '/contacts', {
      name: 'Quitéria Lobo',
      phone: '+5511955551010',
    })
    await desk.call('POST', '/contacts', {
      name: 'Ramiro Lobo',
      phone: '+5511955551011',
    })
    const { page } = await desk.page({}, /status of (400|409) .*\/contacts\//)
    await visit(desk, page)
    await person(page, /Quitéria Lobo/).click()
    await details(page).getByRole('button', { name: 'Change phone' }).click()
    const form = dialog(page, 'Change phone')
    const field = form.getByRole('textbox', { name: 'Phone' })
    await expect.poll(() => field.inputValue()).toBe('+55 11 95555-1010')
    await axe(page, 'changing a phone')
    await field.fill('123')
    await form.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true')
    await field.fill('+55 11 95555-1011')
    await form.getByRole('button', { name: 'Save' }).click()
    await form
      .getByText('You already have a contact with this phone number.')
      .waitFor()
    await field.fill('')
    await field.pressSequentially('11955551012')
    await field.press('Enter')
    await form.waitFor({ state: 'detached' })
    await details(page).getByText('+55 11 95555-1012').waitFor()
    await person(page, /Quitéria Lobo.*95555-1012/).waitFor()
    await expect
      .poll(() => desk.call('GET', `/contacts/${String(made.id)}`))
      .toMatchObject({ phone: '+5511955551012' })

    const remove = details(page).getByRole('button', { name: 'Delete contact' })
    const question = page.getByRole('alertdialog', {
      name: 'Delete Quitéria Lobo?',
    })
    await remove.click()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    await remove.click()
    await question.getByRole('button', { name: 'Delete contact' }).click()
    await person(page, /Quitéria Lobo/).waitFor({ state: 'detached' })
    await details(page).waitFor({ state: 'detached' })
    await expect(
      desk.call('GET', `/contacts/${String(made.id)}`),
    ).rejects.toThrow('404')

    // A contact with a conversation keeps its phone.
    await person(page, /Tereza Silveira/).click()
    await details(page).getByText(/^ATD-/).first().waitFor()
    for (const name of ['Change phone', 'Delete contact'])
      expect(await details(page).getByRole('button', { name }).count()).toBe(0)
  })

  it('shows a new customer without a reload', async () => {
    const { page } = await desk.page()
    await visit(desk, page)
    await desk.customer('+5511955551003', 'Zilda Moura', 'Oi')
    await person(page, /Zilda Moura/).waitFor()
  })

  it('loads more contacts while scrolling', async () => {
    const { page } = await desk.page()
    for (let from = 0; from < 150; from += 10) {
      await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          desk.call('POST', '/contacts', {
            name: `Cliente ${from + index}`,
            phone: `+55119666${String(10_000 + from + index)}`,
          }),
        ),
      )
    }
    await visit(desk, page)
    await search(page).fill('Cliente')
    await person(page, /Cliente 149/).waitFor()
    await expect
      .poll(async () => {
        await table(page).getByRole('row').last().scrollIntoViewIfNeeded()
        return person(page, /Cliente 0\b/).count()
      })
      .toBe(1)
  })
})

describe('in any language and size', () => {
  let desk: Desk
  beforeAll(async () => {
    desk = await Desk.start()
  })
  afterAll(() => desk.stop())
  afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

  it('shows the list and the details as pages on a phone', async () => {
    const { page } = await desk.page({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    })
    await desk.signIn(page)
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Contacts' })
      .tap()
    await person(page, /Eduardo Farias/).tap()
    await details(page)
      .getByRole('heading', { name: 'Eduardo Farias', level: 1 })
      .waitFor()
    await expect.poll(() => table(page).isVisible()).toBe(false)
    await expect
      .poll(() =>
        page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
      )
      .toBe(true)
    await axe(page, 'contact on a phone')
    await page.goBack()
    await person(page, /Eduardo Farias/).waitFor()
    await expect
      .poll(() =>
        page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
      )
      .toBe(true)
    await axe(page, 'contacts on a phone')
  })

  it('is accessible', async () => {
    const { page } = await desk.page()
    await visit(desk, page)
    await axe(page, 'contacts')
    await person(page, /Escola Pequeno Mundo/).click()
    await details(page).getByText(/^ATD-/).first().waitFor()
    await axe(page, 'contact')
    await page.getByRole('button', { name: 'New contact' }).click()
    await dialog(page, 'New contact').waitFor()
    await axe(page, 'new contact')
  })

  it.each([
    ['pt-BR', 'Contatos', 'Buscar contatos', 'Iniciar conversa'],
    ['es-ES', 'Contactos', 'Buscar contactos', 'Iniciar conversación'],
  ])('speaks %s', async (locale, title, find, start) => {
    const { page } = await desk.page({ locale })
    await page.goto(`${desk.url}/contacts`)
    await page
      .locator('input[type=email], input[autocomplete=username], input')
      .first()
      .fill(desk.demo.login.email)
    await page.locator('input[type=password]').fill(desk.demo.login.password)
    await page.locator('button[type=submit]').click()
    await page
      .getByRole('table', { name: title })
      .getByRole('row', { name: /Camila Rocha/ })
      .click()
    await page.getByRole('searchbox', { name: find }).waitFor()
    await page.getByRole('button', { name: start }).waitFor()
    await page.getByText(/^ATD-/).first().waitFor()
    await expect
      .poll(() => page.locator('main').innerText())
      .not.toMatch(/\b(contacts|details|filters|common)\.\w+/)
  })
})
