import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Desk, engines } from './desk'
import { dialog } from './parts'

const nav = (page: Page) => page.getByRole('navigation', { name: 'Settings' })
const list = (page: Page, name: string) => page.getByRole('list', { name, exact: true })
const alert = (page: Page, name: string) => page.getByRole('alertdialog', { name })

/** settings opens a page of the settings from its navigation. */
async function settings(page: Page, name: string): Promise<void> {
  if (!(await nav(page).isVisible())) await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click()
  await nav(page).getByRole('link', { name, exact: true }).click()
  await page.getByRole('heading', { level: 1, name }).waitFor()
}

describe.each(engines)('the settings, %s', (engine) => {
  let desk: Desk
  beforeAll(async () => {
    desk = await Desk.start({ engine })
  })
  afterAll(() => desk.stop())
  afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

  it('change the name and the time zone of the company', async () => {
    const { page } = await desk.page({}, /status of 400 .*\/company$/)
    await desk.signIn(page)
    await settings(page, 'Company')
    await page.getByRole('textbox', { name: 'Company name' }).fill('Padaria do Centro')
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Manaus')
    await page.getByRole('option', { name: 'America/Manaus' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved').waitFor()
    expect(await desk.call('GET', '/company')).toMatchObject({ name: 'Padaria do Centro', timezone: 'America/Manaus' })
    await page.getByRole('textbox', { name: 'Company name' }).fill('   ')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => page.getByRole('textbox', { name: 'Company name' }).getAttribute('aria-invalid')).toBe('true')
    await page.reload()
    expect(await page.getByRole('textbox', { name: 'Company name' }).inputValue()).toBe('Padaria do Centro')
  })

  it('make, change and delete a label', async () => {
    const { page } = await desk.page({}, /status of 409 .*\/labels$/)
    await desk.signIn(page)
    await settings(page, 'Labels')
    const create = async (name: string) => {
      await page.getByRole('button', { name: 'New label' }).click()
      await dialog(page, 'New label').getByRole('textbox', { name: 'Name' }).fill(name)
      await dialog(page, 'New label').getByRole('radio', { name: 'Blue' }).check()
      await dialog(page, 'New label').getByRole('button', { name: 'Save' }).click()
    }
    await create('Zona Norte')
    await list(page, 'Labels').getByText('Zona Norte').waitFor()
    await create('zona norte')
    await dialog(page, 'New label').getByText('This name is in use.').waitFor()
    await dialog(page, 'New label').getByRole('button', { name: 'Dismiss' }).click()
    await page.getByRole('button', { name: 'Edit Zona Norte' }).click()
    await dialog(page, 'Edit label').getByRole('textbox', { name: 'Name' }).fill('Zona Sul')
    await dialog(page, 'Edit label').getByRole('button', { name: 'Save' }).click()
    await list(page, 'Labels').getByText('Zona Sul').waitFor()
    const { data } = (await desk.call('GET', '/labels')) as { data: { name: string; color: string }[] }
    expect(data.find((label) => label.name === 'Zona Sul')?.color).toBe('#1565c0')
    await page.getByRole('button', { name: 'Delete Zona Sul' }).click()
    await alert(page, 'Delete the label Zona Sul?').getByText(/contacts, conversations and cards/).waitFor()
    await alert(page, 'Delete the label Zona Sul?').getByRole('button', { name: 'Delete' }).click()
    await list(page, 'Labels').getByText('Zona Sul').waitFor({ state: 'detached' })
  })

  it('make a sector with members, change it and delete it', async () => {
    const { page } = await desk.page()
    await desk.signIn(page)
    await settings(page, 'Sectors')
    await page.getByRole('button', { name: 'New sector' }).click()
    const creating = dialog(page, 'New sector')
    await creating.getByRole('textbox', { name: 'Name', exact: true }).fill('Compras')
    await creating.getByRole('combobox', { name: 'Members' }).click()
    const first = page.getByRole('listbox', { name: 'Members' }).getByRole('option').first()
    const member = (await first.textContent()) ?? ''
    await first.click()
    await page.keyboard.press('Tab')
    await creating.getByRole('button', { name: 'Save' }).click()
    const row = list(page, 'Sectors').getByRole('listitem').filter({ hasText: 'Compras' })
    await row.getByText(member).waitFor()
    await row.getByRole('button', { name: 'Edit Compras' }).click()
    await dialog(page, 'Edit sector').getByRole('textbox', { name: 'Name', exact: true }).fill('Compras e estoque')
    await dialog(page, 'Edit sector').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Delete Compras e estoque' }).click()
    await alert(page, 'Delete the sector Compras e estoque?').getByRole('button', { name: 'Delete' }).click()
    await row.waitFor({ state: 'detached' })
  })
})
