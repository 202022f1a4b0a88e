import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Desk } from './desk'
import { log, message, open, row } from './parts'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

const evil = '<img src=x onerror=alert(1)>'

type Given = { name: string; type: string; text: string }

/** give passes files to an element like a paste or drop. */
async function give(
  page: Page,
  selector: string,
  kind: 'paste' | 'drop',
  files: Given[],
): Promise<void> {
  await page.locator(selector).evaluate(
    (element, { kind: event, files: given }) => {
      const data = new DataTransfer()
      for (const { name, type, text } of given)
        data.items.add(new File([text], name, { type }))
      const options = { bubbles: true, cancelable: true }
      if (event === 'paste')
        element.dispatchEvent(
          new ClipboardEvent('paste', { ...options, clipboardData: data }),
        )
      else
        for (const type of ['dragenter', 'dragover', 'drop'])
          element.dispatchEvent(
            new DragEvent(type, { ...options, dataTransfer: data }),
          )
    },
    { kind, files },
  )
}

it('accepts a pasted file and several dropped ones, each with a caption', async () => {
  await desk.customer(
    '+5511955551001',
    'Otávio Reis',
    'Pode mandar o contrato?',
  )
  const { page } = await desk.page()
  await desk.signIn(page)
  await open(page, 'Otávio Reis')
  const form = page.getByRole('form', { name: 'Answer' })
  await give(page, '#composer-box textarea', 'paste', [
    { name: 'colado.txt', type: 'text/plain', text: 'pasted' },
  ])
  await form.getByRole('button', { name: 'Remove colado.txt' }).waitFor()
  await form
    .getByRole('textbox', { name: 'Caption for colado.txt' })
    .fill('O contrato')
  await give(page, '[role=log]', 'drop', [
    { name: 'um.txt', type: 'text/plain', text: 'one' },
    { name: 'dois.txt', type: 'text/plain', text: 'two two' },
    { name: `${evil}.txt`, type: 'text/plain', text: 'three' },
    { name: 'pagina.html', type: 'text/html', text: '<p>no</p>' },
  ])
  await form
    .getByRole('alert')
    .filter({ hasText: 'WhatsApp doesn’t support this file type.' })
    .waitFor()
  await form.getByRole('button', { name: 'Remove pagina.html' }).click()
  await form.getByRole('button', { name: 'Remove dois.txt' }).click()
  await form.getByRole('button', { name: `Remove ${evil}.txt` }).waitFor()
  await form.getByRole('button', { name: 'Send', exact: true }).click()
  const files = () =>
    log(page)
      .getByRole('link', { name: /^Download / })
      .allTextContents()
  await expect
    .poll(async () => (await files()).map((text) => text.split(',')[0]))
    .toEqual([
      'Download colado.txt',
      'Download um.txt',
      expect.stringMatching(/^Download .*img src=x onerror=alert/),
    ])
  await log(page).getByText('O contrato', { exact: true }).waitFor()
  await expect.poll(() => page.locator('img[src="x"]').count()).toBe(0)
})

it('follows a draft in another tab of the same browser', async () => {
  await desk.customer('+5511955551002', 'Paula Simas', 'Oi')
  const { page, context } = await desk.page()
  await desk.signIn(page)
  await open(page, 'Paula Simas')
  const second = await context.newPage()
  await second.goto(page.url())
  await message(second).waitFor()
  await message(page).fill('Já respondo, Paula')
  await expect
    .poll(() => message(second).inputValue())
    .toBe('Já respondo, Paula')
  await message(second).fill('Já respondo, Paula!')
  await expect
    .poll(() => message(page).inputValue())
    .toBe('Já respondo, Paula!')
  await page.getByRole('link', { name: /^All open/ }).click()
  await row(page, 'Paula Simas').filter({ hasText: 'Draft:' }).waitFor()
  await second.reload()
  await expect
    .poll(() => message(second).inputValue())
    .toBe('Já respondo, Paula!')
  await message(second).press('Enter')
  await log(second).getByRole('img', { name: 'Sent' }).waitFor()
  await expect
    .poll(() => row(page, 'Paula Simas').filter({ hasText: 'Draft:' }).count())
    .toBe(0)
})

it('sends three messages written offline once each, in order', async () => {
  const name = `Rui Matos ${Date.now()}` // unique when the test is retried
  const phone = `+55119${String(Date.now()).slice(-8)}`
  const answer = await desk.customer(phone, name, 'Tem vaga?')
  const { page, context } = await desk.page({}, /ERR_INTERNET_DISCONNECTED/)
  await page.clock.install()
  await desk.signIn(page)
  const offline = page
    .getByRole('alert')
    .filter({ hasText: 'You are offline.' })
  await page.route(
    /\/timeline/,
    (route) =>
      offline.waitFor().then(() => route.abort('internetdisconnected')),
    { times: 1 },
  ) // before the thread has loaded
  await open(page, name)
  await context.setOffline(true)
  await offline.waitFor()
  for (const text of ['primeira', 'segunda', 'terceira']) {
    await message(page).fill(text)
    await message(page).press('Enter')
    await page.clock.runFor(20_000)
    await log(page)
      .getByRole('article', { name: /Queued$/ })
      .filter({ hasText: text })
      .waitFor()
  }
  await context.setOffline(false)
  await expect
    .poll(() =>
      log(page)
        .getByRole('article', { name: /^You, .*(Sent|Delivered|Read)$/ })
        .locator('p')
        .allTextContents(),
    )
    .toEqual(['primeira', 'segunda', 'terceira'])
  const { data } = (await desk.call(
    'GET',
    `/conversations/${String(answer.conversation)}/messages`,
  )) as { data: { direction: string; text: string }[] }
  expect(
    data
      .filter((one) => one.direction === 'outbound')
      .map((one) => one.text)
      .reverse(),
  ).toEqual(['primeira', 'segunda', 'terceira'])
})
