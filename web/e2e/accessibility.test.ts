import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Desk } from './desk'
import { axe, dialog, log, open, rows, showDetails } from './parts'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.stop())

/** menu opens a menu, checks it and selects an item. */
async function choose(
  page: Page,
  button: string,
  item: string,
  screen: string,
): Promise<void> {
  await page.getByRole('button', { name: button }).first().click()
  await page.getByRole('menuitem', { name: item }).waitFor()
  await axe(page, `${screen}, menu ${button}`)
  await page.getByRole('menuitem', { name: item }).click()
}

async function leave(page: Page, name: string): Promise<void> {
  await dialog(page, name).getByRole('button', { name: 'Dismiss' }).click()
  await dialog(page, name).waitFor({ state: 'detached' })
}

describe('axe finds nothing', () => {
  it('on any screen or dialog', async () => {
    const { page, context } = await desk.page()
    await page.goto(`${desk.url}/`)
    await page.getByRole('main', { name: 'Sign in' }).waitFor()
    await axe(page, 'sign in')
    await page.goto(`${desk.url}/#/setup?token=x`)
    await page.reload()
    await page.getByRole('main', { name: 'Set up Recado' }).waitFor()
    await axe(page, 'set up')
    await desk.signIn(page)
    await page.getByText('Choose a conversation').waitFor()
    await axe(page, 'inbox without a conversation')
    await page.getByRole('link', { name: /^All open/ }).click()
    await rows(page).getByRole('option').nth(3).click()
    await (await showDetails(page)).getByText('Protocol').waitFor()
    await log(page).getByRole('article').first().waitFor()
    await axe(page, 'conversation')
    await page.getByRole('button', { name: 'Hide details' }).click()
    await page.getByRole('tab', { name: 'Internal note' }).click()
    await axe(page, 'note')
    await page.getByRole('tab', { name: 'Reply' }).click()
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByRole('combobox', { name: 'Channel' }).waitFor()
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('textbox', { name: 'View name' }).waitFor()
    await axe(page, 'filters')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Transfer', exact: true }).click()
    await dialog(page, 'Transfer conversation')
      .getByRole('option')
      .first()
      .waitFor()
    await axe(page, 'transfer')
    await leave(page, 'Transfer conversation')
    await page.getByRole('button', { name: 'Close case' }).click()
    await dialog(page, 'Close case').waitFor()
    await axe(page, 'close')
    await leave(page, 'Close case')
    for (const [item, name] of [
      ['Snooze', 'Snooze'],
      ['Create card', 'Create card'],
      ['Go to date', 'Go to date'],
    ] as const) {
      await choose(page, 'More actions', item, 'conversation')
      await dialog(page, name).getByRole('button').nth(1).waitFor()
      await axe(page, item)
      await leave(page, name)
    }
    await page.getByRole('button', { name: 'New conversation' }).first().click()
    await dialog(page, 'New conversation').waitFor()
    await axe(page, 'new conversation')
    await leave(page, 'New conversation')
    await page.getByRole('button', { name: 'Template', exact: true }).click()
    await dialog(page, 'Send template').waitFor()
    await axe(page, 'template')
    await leave(page, 'Send template')
    await page.getByRole('button', { name: 'Emoji', exact: true }).click()
    await page.getByRole('searchbox', { name: 'Search emoji' }).fill('smile')
    await axe(page, 'emoji')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Canned replies' }).click()
    await page.getByRole('listbox', { name: 'Canned replies' }).waitFor()
    await axe(page, 'canned replies')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+f')
    await page
      .getByRole('searchbox', { name: 'Search in conversation' })
      .fill('boleto')
    await axe(page, 'find')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Search and commands' }).click()
    await dialog(page, 'Search and commands')
      .getByRole('searchbox')
      .fill('Mercado')
    await axe(page, 'palette')
    await leave(page, 'Search and commands')
    await choose(page, 'Account', 'Keyboard shortcuts', 'shell')
    await dialog(page, 'Keyboard shortcuts').waitFor()
    await axe(page, 'shortcuts')
    await leave(page, 'Keyboard shortcuts')
    await page
      .getByRole('checkbox', { name: /^Select / })
      .first()
      .check()
    await page.getByRole('toolbar', { name: '1 selected' }).waitFor()
    await axe(page, 'selection')
    const image = page.getByRole('button', { name: /^Open image/ })
    await open(page, 'Lia Monteiro')
    await image.first().click()
    await dialog(page, 'Media').waitFor()
    await axe(page, 'media')
    await leave(page, 'Media')
    await page.goto(`${desk.url}/settings/channels`)
    await page.getByRole('form', { name: 'Write as the customer' }).waitFor()
    await axe(page, 'channels')
    await context.close()
    expect(desk.problems.splice(0)).toEqual([])
  })

  it('on a phone', async () => {
    const { page, context } = await desk.page({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    })
    await desk.signIn(page)
    await rows(page).getByRole('option').first().waitFor()
    await axe(page, 'list')
    await rows(page).getByRole('option').first().tap()
    await log(page).getByRole('article').first().waitFor()
    await axe(page, 'conversation')
    await page.getByRole('button', { name: 'Show details' }).tap()
    await page
      .getByRole('complementary', { name: 'Details' })
      .getByText('Protocol')
      .waitFor()
    await axe(page, 'details')
    await context.close()
    expect(desk.problems.splice(0)).toEqual([])
  })
})
