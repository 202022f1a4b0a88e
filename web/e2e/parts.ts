import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

export const rows = (page: Page) => page.getByRole('listbox', { name: 'Conversations' })
export const row = (page: Page, name: string) => rows(page).getByRole('option', { name: new RegExp(`^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`) })
export const log = (page: Page) => page.getByRole('log', { name: 'Messages' })
export const message = (page: Page) => page.getByRole('textbox', { name: 'Message' })
export const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })

/** all waits for elements by their role and exact name. */
export async function all(within: Page | Locator, role: Parameters<Page['getByRole']>[0], names: string[]): Promise<void> {
  for (const name of names) await within.getByRole(role, { name, exact: true }).first().waitFor()
}

/** open finds a conversation by its name and opens it. */
export async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('searchbox', { name: 'Search conversations' }).fill(name)
  await row(page, name).click()
  await page.getByRole('heading', { name }).waitFor()
}

const axeSource = readFileSync(join(import.meta.dirname, '../node_modules/axe-core/axe.min.js'), 'utf8')

/** axe checks the page as it is with axe-core's default rules. */
export async function axe(page: Page, screen: string): Promise<void> {
  if (!(await page.evaluate('typeof axe === "object"'))) await page.evaluate(axeSource)
  const found = await page.evaluate('axe.run().then(r => r.violations.map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + " " + n.failureSummary).join(" | ")))')
  expect({ screen, found }).toEqual({ screen, found: [] })
}
