import { afterAll, beforeAll, expect, it } from 'vitest'
import { Desk } from './desk'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start('/desk')
})
afterAll(() => desk.stop())

it('works below a base path, also when a conversation is opened by its address', async () => {
  const { page, context } = await desk.page()
  await desk.signIn(page)
  await page.getByRole('listbox', { name: 'Conversations' }).getByRole('option').first().click()
  await page.getByRole('log', { name: 'Messages' }).waitFor()
  expect(new URL(page.url()).pathname).toMatch(/^\/desk\/inbox\/waiting\/[0-9a-f-]{36}$/)
  await page.reload()
  await page.getByRole('log', { name: 'Messages' }).getByRole('article').first().waitFor()
  await context.close()
})
