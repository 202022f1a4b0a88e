import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

export const rows = (page: Page) =>
  page.getByRole('listbox', { name: 'Conversations' })
export const row = (page: Page, name: string) =>
  rows(page).getByRole('option', {
    name: new RegExp(`^${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`),
  })
export const log = (page: Page) => page.getByRole('log', { name: 'Messages' })
export const message = (page: Page) =>
  page.getByRole('textbox', { name: 'Message' })
export const dialog = (page: Page, name: string) =>
  page.getByRole('dialog', { name })

/** all waits for elements by role and exact name. */
export async function all(
  within: Page | Locator,
  role: Parameters<Page['getByRole']>[0],
  names: string[],
): Promise<void> {
  for (const name of names)
    await within.getByRole(role, { name, exact: true }).first().waitFor()
}

/** show opens a view of the inbox and waits for its list. */
export async function show(page: Page, name: RegExp): Promise<void> {
  const link = page
    .getByRole('navigation', { name: 'Views' })
    .getByRole('link', { name })
  await link.click()
  await link.and(page.locator('[aria-current=page]')).waitFor()
}

/** hasFocus waits until an element has the focus. */
export const hasFocus = (field: Locator) =>
  expect
    .poll(() => field.evaluate((one) => one === document.activeElement))
    .toBe(true)

/** search searches conversations and waits for the results, so that no row of the previous list is clicked. */
export async function search(page: Page, text: string): Promise<void> {
  await page.getByRole('searchbox', { name: 'Search conversations' }).fill(text)
  await page
    .getByRole('button', { name: `Search messages for “${text}”`, exact: true })
    .waitFor()
}

/** open finds a conversation by name and opens it. */
export async function open(page: Page, name: string): Promise<void> {
  await search(page, name)
  await row(page, name).click()
  await page.getByRole('heading', { name }).waitFor()
}

/** showDetails opens the details of the open conversation. */
export async function showDetails(page: Page): Promise<Locator> {
  const details = page.getByRole('complementary', {
    name: 'Details',
    exact: true,
  })
  await page.getByRole('button', { name: 'Show details' }).click()
  await details.waitFor()
  return details
}

/** go navigates within the app without reloading it. */
export async function go(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    history.pushState({}, '', to)
    dispatchEvent(new PopStateEvent('popstate'))
  }, path)
}

const axeSource = readFileSync(
  join(import.meta.dirname, '../node_modules/axe-core/axe.min.js'),
  'utf8',
)

/** Runs axe-core in the page and returns its violations. */
const faults = (options: string) =>
  `axe.run(${options}).then(r => r.violations.map(v => v.id + ": " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + " " + n.failureSummary).join(" | ")))`

/** axe checks the page with axe-core's default rules once it is idle, and then the colours of the other theme. */
export async function axe(page: Page, screen: string): Promise<void> {
  if (!(await page.evaluate('typeof axe === "object"')))
    await page.evaluate(axeSource)
  await expect
    .poll(() => page.evaluate(faults('{ resultTypes: ["violations"] }')), {
      message: screen,
    })
    .toEqual([])
  const shown = (await page.evaluate(
    () => matchMedia('(prefers-color-scheme: dark)').matches,
  ))
    ? 'dark'
    : 'light'
  const other = shown === 'dark' ? 'light' : 'dark'
  await theme(page, other)
  await expect
    .poll(
      () =>
        page.evaluate(
          faults('{ runOnly: ["color-contrast", "link-in-text-block"] }'),
        ),
      { message: `${screen}, ${other}` },
    )
    .toEqual([])
  await theme(page, shown)
}

/** theme changes the preferred colour scheme. */
async function theme(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await expect
    .poll(() =>
      page.evaluate(
        () =>
          document.documentElement.dataset.mantineColorScheme ??
          document.documentElement.dataset.theme ??
          'none',
      ),
    )
    .toMatch(new RegExp(`^(${colorScheme}|none)$`))
}

/** speak changes the user's language; it applies to the next page. */
export const speak = (page: Page, language: string) =>
  page.evaluate(async (chosen) => {
    localStorage.setItem('recado.language', chosen)
    await fetch('/v1/me/preferences', {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ language: chosen }),
    })
  }, language)
