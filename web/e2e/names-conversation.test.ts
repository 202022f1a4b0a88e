import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Desk } from './desk'
import { all, dialog, log, message, open, rows, showDetails } from './parts'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

describe('a conversation', () => {
  it('names its header, its actions and its messages', async () => {
    const { page } = await desk.page()
    await desk.signIn(page)
    await open(page, 'Lia Monteiro')
    await page
      .getByRole('button', { name: /^Copy protocol ATD-\d{6}$/ })
      .waitFor()
    await all(page, 'button', [
      'Assign to me',
      'Transfer',
      'Close case',
      'More actions',
    ])
    await page
      .getByRole('button', { name: 'More actions', exact: true })
      .click()
    await all(page, 'menuitem', [
      'Snooze',
      'Pin',
      'Mute',
      'Archive',
      'Mark as unread',
      'Create card',
      'Go to date',
    ])
    await page.keyboard.press('Escape')
    const thread = log(page)
    await thread
      .getByRole('article', { name: /^Lia Monteiro, \d\d:\d\d$/ })
      .first()
      .waitFor()
    await thread
      .getByRole('article', { name: /^Carla Nunes, \d\d:\d\d, Read$/ })
      .waitFor()
    await thread.getByRole('img', { name: 'Read', exact: true }).waitFor()
    await thread.getByText(/^Case ATD-\d{6} opened/).waitFor()
    await thread.getByText('2 new messages', { exact: true }).waitFor()
    await thread.getByText('❤️').waitFor()
    await thread
      .getByRole('button', { name: 'Go to quoted message', exact: true })
      .click()
    await thread.getByRole('button', { name: 'Play', exact: true }).waitFor()
    await thread
      .getByRole('slider', { name: 'Position', exact: true })
      .waitFor()
    await thread.getByRole('button', { name: 'Speed 1x', exact: true }).click()
    await thread
      .getByRole('button', { name: 'Speed 1.5x', exact: true })
      .waitFor()
    await thread.getByRole('button', { name: /^Open image/ }).click()
    await all(dialog(page, 'Media'), 'button', ['Previous', 'Next', 'Dismiss'])
    await dialog(page, 'Media').getByRole('button', { name: 'Dismiss' }).click()
    const first = thread.getByRole('article', { name: /^Lia Monteiro/ }).first()
    await first.hover()
    await first
      .getByRole('button', { name: 'Message actions', exact: true })
      .click()
    await all(page, 'menuitem', [
      'Reply',
      'React',
      'Copy text',
      'Create card',
      'Save as canned reply',
    ])
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+f')
    await page
      .getByRole('searchbox', { name: 'Search in conversation', exact: true })
      .fill('bolo')
    await all(page, 'button', ['Previous match', 'Next match'])
  })

  it('names files, and says why a message failed', async () => {
    const { page } = await desk.page()
    await desk.signIn(page)
    await open(page, 'Mercado Bom Preço')
    await log(page)
      .getByRole('link', { name: /^Download .+\.pdf, .+(kB|MB|bytes)$/ })
      .waitFor()
    await open(page, 'Marcelo Dias')
    await log(page)
      .getByRole('article', { name: /, Failed$/ })
      .getByRole('button', { name: 'Send again', exact: true })
      .waitFor()
    await log(page).getByRole('img', { name: 'Failed', exact: true }).waitFor()
  })

  it('counts new messages while the reader is elsewhere in the thread', async () => {
    for (let n = 0; n < 40; n++)
      await desk.customer(
        '+5511955554006',
        'Muito Texto',
        `Mensagem ${n} ${'com texto '.repeat(12)}`,
      )
    const { page } = await desk.page()
    await desk.signIn(page)
    await open(page, 'Muito Texto')
    await log(page)
      .getByText(/^Mensagem 39/)
      .or(log(page).getByText('40 new messages'))
      .first()
      .waitFor()
    await log(page).evaluate((thread) => (thread.scrollTop = 0))
    await page
      .getByRole('button', { name: 'Jump to newest', exact: true })
      .waitFor()
    await desk.customer('+5511955554006', 'Muito Texto', 'Mais uma')
    await desk.customer('+5511955554006', 'Muito Texto', 'E outra')
    await page
      .getByRole('button', { name: 'Jump to newest, 2 new', exact: true })
      .click()
    await log(page).getByText('E outra', { exact: true }).waitFor()
  })
})

describe('the composer', () => {
  it('names its parts', async () => {
    const { page } = await desk.page()
    await desk.signIn(page)
    await open(page, 'Eduardo Farias')
    const form = page.getByRole('form', { name: 'Answer', exact: true })
    await all(form.getByRole('tablist'), 'tab', ['Reply', 'Internal note'])
    await form.getByRole('textbox', { name: 'Message', exact: true }).waitFor()
    await all(form, 'button', [
      'Send',
      'Attach files',
      'Record voice message',
      'Emoji',
      'Canned replies',
      'Template',
    ])
    await form
      .getByRole('switch', { name: 'Sign with my name', exact: true })
      .check()
    await message(page).fill('Temos sim, Eduardo.')
    await message(page).press('Enter')
    await log(page)
      .getByRole('article', { name: /^You, / })
      .filter({ hasText: 'Ana Ribeiro:' })
      .waitFor()
    await form
      .getByRole('switch', { name: 'Sign with my name', exact: true })
      .uncheck()
    await message(page).fill('uma linha')
    await message(page).press('Shift+Enter')
    await expect.poll(() => message(page).inputValue()).toBe('uma linha\n')
    await message(page).fill('')
    await message(page).pressSequentially('oi /')
    await page
      .getByRole('listbox', { name: 'Canned replies', exact: true })
      .waitFor()
    await page.keyboard.press('Escape')
    await message(page).fill('')
    await form.getByRole('tab', { name: 'Internal note' }).click()
    await form
      .getByRole('textbox', { name: 'Internal note', exact: true })
      .waitFor()
    await form.getByRole('button', { name: 'Add note', exact: true }).waitFor()
  })

  it('shows that the contact is blocked and unblocks it', async () => {
    await desk.customer('+5511955554007', 'Pessoa Bloqueada', 'Oi')
    const { page } = await desk.page()
    await desk.signIn(page)
    await open(page, 'Pessoa Bloqueada')
    const details = await showDetails(page)
    await details.getByRole('switch', { name: 'Blocked', exact: true }).click()
    await page
      .getByRole('alertdialog', { name: 'Block contact' })
      .getByRole('button', { name: 'Block contact' })
      .click()
    await details.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
    const form = page.getByRole('form', { name: 'Answer', exact: true })
    await form.getByText('This contact is blocked.', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Hide details' }).click()
    await form.getByRole('button', { name: 'Unblock', exact: true }).click()
    await form
      .getByText('This contact is blocked.', { exact: true })
      .waitFor({ state: 'detached' })
  })
})

describe('a conversation of a colleague', () => {
  it('shows who can reply in restricted mode', async () => {
    const { conversation } = (await desk.customer(
      '+5511955554008',
      'Cliente da Ana',
      'Oi, Ana',
    )) as { conversation: string }
    await desk.call('POST', `/conversations/${conversation}/transfer`, {
      user_id: desk.company.user,
    })
    await desk.call('PATCH', '/company/attendance', { mode: 'restricted' })
    const { data } = (await desk.call('GET', '/team')) as {
      data: { id: string; name: string }[]
    }
    const { page } = await desk.page({}, /status of 409 .*\/messages/)
    await desk.signInAs(
      page,
      data.find((one) => one.name === 'Caio Moreira')?.id ?? '',
    )
    await open(page, 'Cliente da Ana')
    const form = page.getByRole('form', { name: 'Answer', exact: true })
    await form
      .getByRole('status')
      .getByText('Only Ana Ribeiro or a manager can reply here.', {
        exact: true,
      })
      .waitFor()
    await form
      .getByRole('button', { name: 'Write a note', exact: true })
      .click()
    await expect
      .poll(() =>
        page.evaluate(() => document.activeElement?.getAttribute('aria-label')),
      )
      .toBe('Internal note')
    await page.getByRole('tab', { name: 'Reply', exact: true }).click()
    await message(page).fill('Posso ajudar?')
    await message(page).press('Enter')
    await page
      .getByRole('form', { name: 'Answer', exact: true })
      .getByText(
        'Ana Ribeiro is responsible; only Ana Ribeiro or a manager can answer.',
        { exact: true },
      )
      .waitFor()
    await expect.poll(() => message(page).inputValue()).toBe('Posso ajudar?')
    await desk.call('PATCH', '/company/attendance', { mode: 'liberal' })
  })
})

describe('details and dialogs', () => {
  it('name their regions and fields', async () => {
    const { page } = await desk.page()
    await desk.signIn(page)
    await open(page, 'Hotel Serra Azul')
    const details = await showDetails(page)
    await all(details, 'region', [
      'Contact',
      'Case',
      'History',
      'Cards',
      'Files',
      'Notes',
    ])
    await all(details.getByRole('region', { name: 'Contact' }), 'textbox', [
      'Name',
      'Company',
      'City',
    ])
    await details
      .getByRole('textbox', { name: 'City', exact: true })
      .fill('Vila Nova')
    await details
      .getByRole('textbox', { name: 'City', exact: true })
      .press('Tab')
    await details.getByRole('status').filter({ hasText: 'Saved' }).waitFor()
    for (const label of [
      'Protocol',
      'Opened',
      'First response',
      'Assigned to',
      'Department',
    ])
      await details
        .getByRole('region', { name: 'Case' })
        .getByText(label, { exact: true })
        .waitFor()

    await page.getByRole('button', { name: 'Transfer', exact: true }).click()
    const transfer = dialog(page, 'Transfer conversation')
    await all(transfer, 'combobox', ['Person or department'])
    await transfer
      .getByRole('textbox', { name: 'Reason', exact: true })
      .waitFor()
    await all(transfer, 'button', [
      'Transfer',
      'Back to queue',
      'Cancel',
      'Dismiss',
    ])
    await transfer
      .getByRole('option', {
        name: /^Bruno Tavares (online|away|offline) · \d+ open cases?/,
      })
      .waitFor()
    await transfer.getByRole('button', { name: 'Dismiss' }).click()

    await page.getByRole('button', { name: 'Close case', exact: true }).click()
    const closing = dialog(page, 'Close case')
    await closing
      .getByRole('textbox', { name: 'Reason', exact: true })
      .waitFor()
    await all(closing, 'button', ['Close case', 'Close and next', 'Dismiss'])
    await closing.getByRole('button', { name: 'Dismiss' }).click()

    await page
      .getByRole('button', { name: 'New conversation', exact: true })
      .first()
      .click()
    const creating = dialog(page, 'New conversation')
    await all(creating, 'combobox', ['Number', 'Contact or phone'])
    await creating.getByRole('textbox', { name: 'Name', exact: true }).waitFor()
    await creating
      .getByRole('combobox', { name: 'Contact or phone' })
      .fill('+55 11 91234-5603')
    await creating.getByRole('button', { name: 'Start', exact: true }).click()
    await page
      .getByText(
        'This conversation already exists and is assigned to Caio Moreira.',
      )
      .waitFor()

    await page
      .getByRole('button', { name: 'More actions', exact: true })
      .click()
    await page.getByRole('menuitem', { name: 'Snooze' }).click()
    await all(dialog(page, 'Snooze'), 'button', ['Snooze', 'Dismiss'])
    await dialog(page, 'Snooze')
      .getByRole('button', { name: /^Tomorrow morning/ })
      .waitFor()
    await dialog(page, 'Snooze')
      .getByRole('button', { name: 'Dismiss' })
      .click()
  })
})

describe('on a phone', () => {
  it('names the tab bar and the views', async () => {
    const { page } = await desk.page({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    })
    await desk.signIn(page)
    const bar = page.getByRole('navigation', { name: 'Main' })
    await all(bar, 'link', ['Inbox', 'Contacts', 'Boards'])
    await bar.getByRole('button', { name: 'More', exact: true }).waitFor()
    await page
      .getByRole('combobox', { name: 'Views', exact: true })
      .selectOption({ label: 'Closed' })
    await expect.poll(() => new URL(page.url()).pathname).toBe('/inbox/closed')
    await rows(page).getByRole('option').first().waitFor()
    await expect
      .poll(() =>
        page.evaluate(() =>
          [...document.querySelectorAll('button, a, select, [role=option]')]
            .filter((one) =>
              one.checkVisibility({
                opacityProperty: true,
                visibilityProperty: true,
              }),
            )
            .map((one) => ({
              name: one.getAttribute('aria-label') ?? one.textContent,
              box: one.getBoundingClientRect(),
            }))
            .filter(
              ({ box }) =>
                box.width > 2 &&
                box.bottom > 0 &&
                (box.height < 44 || box.width < 44),
            )
            .map(
              ({ name, box }) =>
                `${name} ${Math.round(box.width)}x${Math.round(box.height)}`,
            ),
        ),
      )
      .toEqual([])
  })
})
