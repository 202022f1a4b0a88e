import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Desk } from './desk'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.stop())

const rows = (page: Page) => page.getByRole('listbox', { name: 'Conversations' })
const row = (page: Page, name: string) => rows(page).getByRole('option', { name: new RegExp(`^${name}`) })
const log = (page: Page) => page.getByRole('log', { name: 'Messages' })
const message = (page: Page) => page.getByRole('textbox', { name: 'Message' })

async function axe(page: Page, screen: string): Promise<void> {
  await page.evaluate(readFileSync(join(import.meta.dirname, '../node_modules/axe-core/axe.min.js'), 'utf8'))
  const found = await page.evaluate('axe.run().then(r => r.violations.map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + " " + n.failureSummary).join(" | ")))')
  expect({ screen, found }).toEqual({ screen, found: [] })
}

it('signs in, answers a customer, transfers, closes and finds the conversation again', async () => {
  await desk.customer('+5511955550001', 'Clara Dias', 'Bom dia, vocês abrem hoje?')
  const { page, context } = await desk.page()
  await desk.signIn(page)
  await row(page, 'Clara Dias').click()
  await page.getByRole('heading', { name: 'Clara Dias' }).waitFor()
  await message(page).fill('Sim, até as 18h.')
  await message(page).press('Enter')
  await log(page).getByRole('article', { name: /^You, \d\d:\d\d, (Sent|Delivered|Queued)/ }).filter({ hasText: 'Sim, até as 18h.' }).waitFor()
  await log(page).getByRole('img', { name: 'Sent' }).waitFor()
  expect(await message(page).inputValue()).toBe('')

  await page.getByRole('button', { name: 'Transfer', exact: true }).click()
  const transfer = page.getByRole('dialog', { name: 'Transfer conversation' })
  await transfer.getByRole('combobox', { name: 'Sector' }).click()
  await page.getByRole('listbox', { name: 'Sector' }).getByRole('option').first().click()
  await transfer.getByRole('textbox', { name: 'Reason' }).fill('asks for an invoice')
  await transfer.getByRole('button', { name: 'Transfer', exact: true }).click()
  await transfer.waitFor({ state: 'detached' })
  await log(page).getByText('asks for an invoice').waitFor()

  await page.getByRole('button', { name: 'Close attendance' }).click()
  const close = page.getByRole('dialog', { name: 'Close attendance' })
  await close.getByRole('textbox', { name: 'Reason' }).fill('answered')
  await close.getByRole('button', { name: 'Close', exact: true }).click()
  await log(page).getByText(/closed attendance ATD-.*answered/).waitFor()

  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('Clara')
  await row(page, 'Clara Dias').click()
  await log(page).getByText('Sim, até as 18h.').waitFor()
  await context.close()
})

it('shows a message of the customer at once, and as text', async () => {
  await desk.customer('+5511955550002', 'Davi Reis', 'Oi')
  const { page, context } = await desk.page()
  await desk.signIn(page)
  await row(page, 'Davi Reis').click()
  await log(page).getByText('Oi', { exact: true }).waitFor()
  await desk.customer('+5511955550002', 'Davi Reis', '<img src=x onerror=alert(1)>')
  await log(page).getByText('<img src=x onerror=alert(1)>').waitFor()
  await context.close()
})

it('lets two people work together', async () => {
  await desk.customer('+5511955550005', 'Gil Nunes', 'Preciso de ajuda')
  const first = await desk.page()
  await desk.signIn(first.page)
  const colleague = desk.company.users.find((id) => id !== desk.company.user) ?? ''
  const link = await first.page.evaluate(async (id) => (await (await fetch(`v1/team/${id}/reset-link`.replace(/^/, '/'), { method: 'POST' })).json()) as { url: string }, colleague)
  const second = await desk.page()
  await second.page.goto(link.url)
  const welcome = second.page.getByRole('main', { name: 'Welcome' })
  await welcome.getByRole('textbox', { name: 'Password' }).fill('correct horse battery')
  await welcome.getByRole('button', { name: 'Continue' }).click()
  await second.page.getByRole('navigation', { name: 'Views' }).waitFor()
  await row(first.page, 'Gil Nunes').click()
  await second.page.getByRole('searchbox', { name: 'Search conversations' }).fill('Gil Nunes')
  await row(second.page, 'Gil Nunes').click()
  await first.page.getByRole('group', { name: 'Also here' }).waitFor()
  await message(second.page).fill('Eu cuido disso.')
  await message(second.page).press('Enter')
  await log(first.page).getByText('Eu cuido disso.').waitFor()
  await first.context.close()
  await second.context.close()
})

it('keeps three messages that are written offline and sends them in order', async () => {
  await desk.customer('+5511955550003', 'Elisa Prado', 'Vocês entregam?')
  const { page, context } = await desk.page()
  await desk.signIn(page)
  await row(page, 'Elisa Prado').click()
  await log(page).getByText('Vocês entregam?').waitFor()
  await context.setOffline(true)
  await page.getByRole('alert').filter({ hasText: 'You are offline.' }).waitFor()
  for (const text of ['um', 'dois', 'três']) {
    await message(page).fill(text)
    await message(page).press('Enter')
    await log(page).getByRole('article', { name: /Queued$/ }).filter({ hasText: text }).waitFor()
  }
  await context.setOffline(false)
  await page.getByText('You are offline.').waitFor({ state: 'detached' })
  await expect.poll(() => log(page).getByRole('article', { name: /^You, .*(Sent|Delivered|Read)$/ }).locator('p').allTextContents(), { timeout: 40_000 }).toEqual(['um', 'dois', 'três'])
  await context.close()
})

it('works with the keyboard alone', async () => {
  const { page, context } = await desk.page()
  await desk.signIn(page)
  await rows(page).getByRole('option').first().waitFor()
  await page.keyboard.press('j')
  await page.getByRole('button', { name: /^Copy protocol/ }).waitFor()
  await page.keyboard.press('r')
  await expect.poll(() => message(page).evaluate((box) => box === document.activeElement)).toBe(true)
  await page.keyboard.type('Só um momento, por favor.')
  await page.keyboard.press('Enter')
  await log(page).getByText('Só um momento, por favor.').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('t')
  await page.getByRole('dialog', { name: 'Transfer conversation' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Transfer conversation' }).waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Search and commands' }).getByRole('searchbox').waitFor()
  await context.close()
})

it('shows one pane at a time on a phone', async () => {
  await desk.customer('+5511955550004', 'Fábio Luz', 'Boa tarde')
  const { page, context } = await desk.page({ viewport: { width: 390, height: 844 }, hasTouch: true })
  await desk.signIn(page)
  await row(page, 'Fábio Luz').tap()
  await log(page).getByText('Boa tarde').waitFor()
  expect(await rows(page).isVisible()).toBe(false)
  await page.goBack()
  await rows(page).waitFor()
  await context.close()
})

it('has no violations of accessibility in light and dark', async () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, context } = await desk.page({ colorScheme })
    await page.goto(`${desk.url}/`)
    await page.getByRole('main', { name: 'Sign in' }).waitFor()
    await axe(page, `sign in, ${colorScheme}`)
    await desk.signIn(page)
    await rows(page).getByRole('option').first().click()
    await page.getByRole('complementary', { name: 'Details' }).getByText('Protocol').waitFor()
    await log(page).getByRole('article').first().waitFor()
    await axe(page, `inbox, ${colorScheme}`)
    await context.close()
  }
})

it('reports nothing in the console', () => {
  expect(desk.problems).toEqual([])
})
