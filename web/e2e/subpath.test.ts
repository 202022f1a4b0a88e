import { afterAll, beforeAll, expect, it } from 'vitest'
import { Desk } from './desk'
import { log, rows } from './parts'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start({ base: '/desk' })
})
afterAll(() => desk.stop())

it('works below a base path, including deep links to a conversation', async () => {
  const { page, context } = await desk.page()
  await desk.signIn(page)
  await rows(page).getByRole('option').first().click()
  await log(page).waitFor()
  expect(new URL(page.url()).pathname).toMatch(
    /^\/desk\/inbox\/waiting\/[0-9a-f-]{36}$/,
  )
  await page.reload()
  await log(page).getByRole('article').first().waitFor()
  const manifest = await page.evaluate(
    async () =>
      (await (
        await fetch(
          document.querySelector<HTMLLinkElement>('link[rel=manifest]')?.href ??
            '',
        )
      ).json()) as { start_url: string },
  )
  expect(manifest.start_url).toBe('/desk/')
  expect(desk.problems).toEqual([])
  await context.close()
})

it('retries failed styles of a conversation, including for deep links', async () => {
  const { page, context } = await desk.page({}, /styles\.css/)
  let asked = 0
  await page.route('**/styles.css', (route) =>
    asked++ === 0 ? route.abort() : route.continue(),
  )
  const failed = page.waitForEvent('requestfailed', (request) =>
    request.url().endsWith('/styles.css'),
  )
  const shown = async () => {
    await log(page).getByRole('article').first().waitFor()
    expect({
      asked,
      overflow: await log(page).evaluate(
        (thread) => getComputedStyle(thread).overflowY,
      ),
    }).toEqual({ asked: 2, overflow: 'auto' })
  }
  await desk.signIn(page)
  await failed
  await rows(page).getByRole('option').first().click()
  await shown()
  asked = 0
  await page.reload()
  await shown()
  expect(await desk.problemsOf()).toEqual([])
  await context.close()
})

it('shows that a part of the page failed to load and retries it', async () => {
  const { page, context } = await desk.page(
    {},
    /\/(SignIn|Report)\.js|dynamically imported module/,
  )
  const tryAgain = async (part: string) => {
    await page
      .getByRole('alert')
      .getByText('Something went wrong.', { exact: true })
      .waitFor()
    await page.unroute(part)
    await page.getByRole('button', { name: 'Try again' }).click()
  }
  await page.route('**/SignIn.js', (route) => route.abort())
  await page.goto(`${desk.url}/`)
  await tryAgain('**/SignIn.js')
  await page.getByRole('main', { name: 'Sign in' }).waitFor()
  await page.route('**/Report.js', (route) => route.abort())
  await desk.signIn(page)
  await page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Report' })
    .click()
  await tryAgain('**/Report.js')
  await page.getByRole('heading', { name: 'Report', level: 1 }).waitFor()
  expect(await desk.problemsOf()).toEqual([])
  await context.close()
})
