import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Desk, freePort } from './desk'
import { axe, hasFocus, log, message, open, showDetails } from './parts'

// The server of these tests is not recado itself: test/linkedtest/desk plays a phone and WhatsApp's servers.
describe('a number linked by QR code', () => {
  const folder = mkdtempSync(join(tmpdir(), 'recado-linked-'))
  let desk: Desk
  let phone: string

  beforeAll(async () => {
    const binary = join(folder, 'desk')
    execFileSync(
      'go',
      ['build', '-buildvcs=false', '-o', binary, './test/linkedtest/desk'],
      { cwd: join(import.meta.dirname, '../..') },
    )
    const port = await freePort()
    phone = `http://127.0.0.1:${port}`
    desk = await Desk.start({ binary, flags: ['--phone', `127.0.0.1:${port}`] })
  })
  afterAll(async () => {
    await desk.stop()
    rmSync(folder, { recursive: true })
  })

  /** onPhone does something on the phone. */
  const onPhone = async (path: string, values: Record<string, string> = {}) => {
    const answer = await fetch(`${phone}/${path}`, {
      method: 'POST',
      body: new URLSearchParams(values),
    })
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`)
  }

  /** group returns the id of the phone's group, once it is known. */
  const group = async () => {
    const { data } = await desk.call('GET', '/conversations?kind=group')
    return (data as { id: string; name: string }[]).find(
      (one) => one.name === 'Party',
    )?.id
  }

  const code = (page: Page) =>
    page.getByRole('img', { name: 'QR code to scan with WhatsApp' })

  it('is added, linked, unlinked and linked again by phone number', async () => {
    const { page } = await desk.page()
    await desk.session(page)
    await page.goto(`${desk.url}/settings/channels`)
    await page.getByRole('link', { name: 'Link a number by QR code' }).click()
    await page
      .getByRole('link', { name: 'Use the official WhatsApp API instead' })
      .waitFor()
    await page.getByRole('textbox', { name: 'Name' }).fill('Shop')
    await page.getByRole('button', { name: 'Continue to the code' }).click()
    await page.getByRole('heading', { name: 'Shop' }).waitFor()
    await code(page).waitFor()

    await onPhone('scan')
    await page.getByText('Linked and online').waitFor()
    await page.getByText('Last seen by WhatsApp').waitFor()
    await page.getByText('+55 11 91234-5678 · WhatsApp by QR code').waitFor()
    const sending = page.getByRole('form', { name: 'Sending' })
    const pace = sending.getByLabel('Messages per minute at most')
    expect(await pace.inputValue()).toBe('60')
    await pace.fill('30')
    await sending.getByRole('button', { name: 'Save' }).click()
    await sending.getByText('Saved').waitFor()
    await page.reload()
    await expect.poll(() => pace.inputValue()).toBe('30')
    await onPhone('history', { percent: '40' })
    await page
      .getByRole('progressbar', { name: /last 90 days from the phone, 40%/ })
      .waitFor()

    await onPhone('remove')
    await page.getByText('The link was removed on the phone.').waitFor()
    await page.getByRole('button', { name: /^Notifications/ }).click()
    await page
      .getByRole('link', { name: /lost its link.*Shop · \+55 11 91234-5678/ })
      .waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Link again' }).click()
    await code(page).waitFor()

    await page
      .getByRole('button', { name: 'Link with phone number instead' })
      .click()
    const field = page.getByRole('textbox', { name: 'Phone number' })
    await field.fill('+55 11 90000-0000')
    await page.getByRole('button', { name: 'Get a code' }).click()
    await page.getByText('WhatsApp refused to link the number.').waitFor()
    await page.getByRole('button', { name: 'Try again' }).click()
    await field.fill('+55 11 91234-5678')
    await page.getByRole('button', { name: 'Get a code' }).click()
    await page.getByText('ABCD-EFGH').waitFor()
    await onPhone('scan')
    await page.getByText('Linked and online').waitFor()

    await page.getByRole('button', { name: 'Unlink' }).click()
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: 'Unlink' })
      .click()
    await page.getByText('The number isn’t linked to WhatsApp.').waitFor()
    await page.getByRole('button', { name: 'Link again' }).click()
    await code(page).waitFor()
    await onPhone('scan')
    await page.getByText('Linked and online').waitFor()
    expect(await desk.problemsOf()).toEqual([])
  })

  it('has groups with members that open cases only if wanted', async () => {
    await onPhone('write', { group: '1', id: 'G1', text: 'Who has the cake?' })
    const { page } = await desk.page()
    await desk.session(page)
    await expect.poll(group).toBeDefined()
    const conversation = String(await group())
    await page.goto(`${desk.url}/inbox/open/${conversation}`)
    const details = await showDetails(page)
    const members = details.getByRole('list', { name: 'Members' })
    await members.getByText('Maria').waitFor()
    await members.getByText('Owner').waitFor()
    await members.getByText('+55 11 95555-4444').waitFor()
    await onPhone('picture')
    // It is hidden from screen readers, so it has no role.
    const pictures = page.locator('img[src*="/picture?v="]')
    await expect.poll(() => pictures.count()).toBe(3) // in the list, the header and the details
    for (const picture of await pictures.all())
      await expect
        .poll(() =>
          picture.evaluate((img: HTMLImageElement) => img.naturalWidth),
        )
        .toBe(96)
    const thread = page.getByRole('article', { name: /Maria/ })
    await thread.first().waitFor()
    await page.getByRole('button', { name: 'Attach files' }).waitFor()
    expect(await page.getByRole('button', { name: 'Template' }).count()).toBe(0)
    await details.getByText('No case yet.').waitFor()
    await details.getByLabel('Open cases for this group').click()
    await expect
      .poll(() => details.getByLabel('Open cases for this group').isChecked())
      .toBe(true)
    await expect
      .poll(() => desk.call('GET', `/conversations/${conversation}`))
      .toMatchObject({ cases: true }) // the switch does not wait for the server
    await onPhone('write', { group: '1', id: 'G2', text: 'Nobody?' })
    await details.getByText('Protocol').waitFor()
    expect(await desk.problemsOf()).toEqual([])
  })

  it('edits and deletes sent messages, with the keyboard and on a phone', async () => {
    await onPhone('write', { id: 'M1', text: 'Que horas abre?' })
    const { page } = await desk.page()
    await desk.session(page)
    await page.goto(`${desk.url}/inbox`)
    await open(page, 'Maria')
    const sent = (text: string) =>
      log(page)
        .getByRole('article', { name: /Sent$/ })
        .filter({ hasText: text })
    const actions = (text: string) =>
      sent(text).getByRole('button', { name: 'Message actions' })
    const choose = (name: string) =>
      page.getByRole('menuitem', { name, exact: true })
    const write = async (text: string) => {
      await message(page).fill(text)
      await message(page).press('Enter')
      await sent(text).waitFor()
    }

    await write('Às dez')
    await actions('Às dez').press('Enter')
    await choose('Edit').press('Enter')
    const field = page.getByRole('textbox', { name: 'Edit message' })
    await hasFocus(field)
    await field.press('Escape')
    await hasFocus(actions('Às dez'))
    await actions('Às dez').press('Enter')
    await choose('Edit').press('Enter')
    await field.fill('Às onze')
    await axe(page, 'a message that is edited')
    await field.press('Control+Enter')
    await sent('Às onze').getByText('edited').waitFor()
    await expect
      .poll(async () => (await fetch(`${phone}/sent`)).text())
      .toMatch(/MESSAGE_EDIT.*Às onze/)

    await onPhone('refuse')
    await actions('Às onze').press('Enter')
    await choose('Edit').press('Enter')
    await field.fill('Às doze')
    await field.press('Control+Enter')
    await sent('Às onze')
      .getByText('WhatsApp didn’t accept the edit.')
      .waitFor()
    await axe(page, 'an edit that was refused')

    await page.setViewportSize({ width: 390, height: 844 })
    await actions('Às onze').click()
    await choose('Delete').click()
    const question = page.getByRole('alertdialog', {
      name: 'Delete this message?',
    })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await actions('Às onze').click()
    await choose('Delete').click()
    await question.getByRole('button', { name: 'Delete for everyone' }).click()
    const gone = log(page)
      .getByRole('article')
      .filter({ hasText: 'This message was deleted.' })
    await gone.waitFor()
    await expect
      .poll(async () => (await fetch(`${phone}/sent`)).text())
      .toMatch(/REVOKE/)
    await gone.getByRole('button', { name: 'Message actions' }).click()
    await choose('Message info').waitFor()
    for (const name of ['Edit', 'Delete', 'Reply'])
      expect(await choose(name).count()).toBe(0)
    await page.keyboard.press('Escape')

    const theirs = log(page)
      .getByRole('article', { name: /Maria/ })
      .filter({ hasText: 'Que horas abre?' })
    await theirs.getByRole('button', { name: 'Message actions' }).click()
    await choose('Reply').waitFor()
    expect(await choose('Delete').count()).toBe(0)
    expect(await desk.problemsOf()).toEqual([])
  })
})
