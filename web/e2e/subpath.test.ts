import { afterAll, beforeAll, expect, it } from 'vitest'
import { Desk } from './desk'
import { log, rows } from './parts'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start({ base: '/desk' })
})
afterAll(() => desk.stop())

it('works below a base path, also when a conversation is opened by its address', async () => {
  const { page, context } = await desk.page()
  await desk.signIn(page)
  await rows(page).getByRole('option').first().click()
  await log(page).waitFor()
  expect(new URL(page.url()).pathname).toMatch(/^\/desk\/inbox\/waiting\/[0-9a-f-]{36}$/)
  await page.reload()
  await log(page).getByRole('article').first().waitFor()
  const manifest = await page.evaluate(async () => (await (await fetch(document.querySelector<HTMLLinkElement>('link[rel=manifest]')?.href ?? '')).json()) as { start_url: string })
  expect(manifest.start_url).toBe('/desk/')
  expect(desk.problems).toEqual([])
  await context.close()
})
