import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Desk } from './desk'
import { axe } from './parts'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start({ base: '/desk' })
})
afterAll(() => desk.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

/** openTag expands a group of operations in the API reference. */
async function openTag(page: Page, name: string) {
  const tag = page.locator(`.opblock-tag[data-tag="${name}"]`)
  await tag.waitFor()
  await tag.getByRole('button').click()
  await page.locator('.opblock').first().waitFor()
}

it('keeps the key for the tab and calls the API with it', async () => {
  const { page, context } = await desk.page()
  await page.goto(`${desk.url}/docs/`)
  await page.getByRole('button', { name: 'Authorize' }).first().click()
  await page
    .locator('.auth-container')
    .first()
    .locator('input')
    .fill(desk.company.api_key)
  await page
    .locator('.auth-container')
    .first()
    .getByRole('button', { name: /Apply|Authorize/ })
    .click()
  await page.reload()
  await openTag(page, 'keys')
  const me = page
    .locator('.opblock-get')
    .filter({ has: page.locator('[data-path="/me"]') })
  await me.locator('.opblock-summary-control').click()
  await me.getByRole('button', { name: 'Try it out' }).click()
  const answered = page.waitForResponse((answer) =>
    answer.url().endsWith('/v1/me'),
  )
  await me.getByRole('button', { name: 'Execute' }).click()
  expect((await answered).status()).toBe(200)
  await expect
    .poll(() => page.evaluate(() => JSON.stringify(localStorage)))
    .not.toContain('rcd_')
  await context.close()
})

it('offers the OpenAPI document and the guides, whose links work', async () => {
  const { page, context } = await desk.page({ acceptDownloads: true })
  await page.goto(`${desk.url}/docs/`)
  const nav = page.getByRole('navigation', { name: 'Documentation' })
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    nav.getByRole('link', { name: 'Download OpenAPI document' }).click(),
  ])
  expect(
    (JSON.parse(readFileSync(await file.path(), 'utf8')) as { openapi: string })
      .openapi,
  ).toBe('3.1.0')
  await nav.getByRole('link', { name: 'Guides' }).click()
  await page.getByRole('heading', { name: 'Guides', level: 1 }).waitFor()
  await page.getByRole('main').getByRole('link', { name: 'People' }).click()
  await page.getByRole('heading', { name: 'People', level: 1 }).waitFor()
  await page.goto(`${desk.url}/docs/guides/api`)
  await page
    .getByRole('main')
    .getByRole('link', { name: 'Receiving events' })
    .first()
    .click()
  await page.waitForURL('**/docs/guides/webhooks')
  await page
    .getByRole('navigation', { name: 'Documentation' })
    .getByRole('link', { name: 'Open the app' })
    .click()
  await page.getByRole('main', { name: 'Sign in' }).waitFor()
  await context.close()
})

it('the guides have no accessibility violations on a desktop and a phone', async () => {
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    const { page, context } = await desk.page({ viewport })
    for (const path of ['', 'api', 'webhooks', 'decisions']) {
      await page.goto(`${desk.url}/docs/guides/${path}`)
      await axe(page, `guide ${path}`)
      await expect
        .poll(() =>
          page.evaluate(
            () => document.documentElement.scrollWidth <= innerWidth,
          ),
        )
        .toBe(true)
    }
    await context.close()
  }
})

it('the API reference has no accessibility violations', async () => {
  const { page, context } = await desk.page()
  await page.goto(`${desk.url}/docs/`)
  await page.locator('.info .title[aria-level="1"]').waitFor()
  await openTag(page, 'contacts')
  await axe(page, 'API reference')
  await page.getByRole('button', { name: 'Authorize' }).first().click()
  await page
    .getByRole('button', { name: 'Close', exact: true })
    .first()
    .waitFor()
  await axe(page, 'key of the API reference')
  await page.getByRole('button', { name: 'Close', exact: true }).first().click()
  const create = page
    .locator('.opblock-post')
    .filter({ has: page.locator('[data-path="/contacts"]') })
  await create.locator('.opblock-summary-control').click()
  await create.getByRole('button', { name: 'Try it out' }).click()
  await axe(page, 'an operation of the API reference')
  await context.close()
})

it.each(['light', 'dark'] as const)(
  'the guides and the API reference follow the system theme, %s',
  async (colorScheme) => {
    const { page, context } = await desk.page({ colorScheme })
    for (const path of ['', 'guides/']) {
      await page.goto(`${desk.url}/docs/${path}`)
      await expect
        .poll(() => page.evaluate(() => document.documentElement.dataset.theme))
        .toBe(colorScheme)
    }
    await context.close()
  },
)
