// Writes as people do: choose something, then type at once, without waiting for the page.
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Desk } from './desk'
import { axe, dialog, go, hasFocus, log, message, speak } from './parts'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

type Sent = {
  direction: string
  text: string | null
  media: { file_name: string; mime_type: string } | null
}

const laptop = { viewport: { width: 1280, height: 720 } }
const phone = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
}
const form = (page: Page) => page.getByRole('form', { name: 'Answer' })
const note = (page: Page) =>
  page.getByRole('textbox', { name: 'Internal note' })
const tool = (page: Page, name: string) =>
  form(page).getByRole('button', { name, exact: true })

let customers = 0

/** conversation opens a conversation with a new customer and returns its id. */
async function conversation(page: Page, name: string): Promise<string> {
  const made = await desk.customer(
    `+55119555570${String(10 + customers++)}`,
    name,
    'Oi, tudo bem?',
  )
  const id = String(made.conversation)
  await page.goto(`${desk.url}/inbox/open/${id}`)
  await log(page).getByText('Oi, tudo bem?').waitFor()
  await message(page).waitFor()
  return id
}

/** sent waits for the team's messages of a conversation, oldest first, as "file: text" or "text". */
const sent = (id: string, ...wanted: unknown[]) =>
  expect
    .poll(async () => {
      const { data } = (await desk.call(
        'GET',
        `/conversations/${id}/messages`,
      )) as { data: Sent[] }
      return data
        .filter((one) => one.direction === 'outbound')
        .map((one) =>
          [one.media?.file_name, one.text].filter(Boolean).join(': '),
        )
        .reverse()
    })
    .toEqual(wanted)

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** give pastes or drops files. */
const give = (
  page: Page,
  selector: string,
  kind: 'paste' | 'drop',
  files: { name: string; type: string; base64: string }[],
) =>
  page.locator(selector).evaluate(
    (element, given) => {
      const data = new DataTransfer()
      for (const { name, type, base64 } of given.files)
        data.items.add(
          new File(
            [Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))],
            name,
            { type },
          ),
        )
      const options = { bubbles: true, cancelable: true }
      if (given.kind === 'paste')
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

it('has the cursor in the text field after every choice', async () => {
  const { page } = await desk.page(laptop)
  await desk.signIn(page)
  const id = await conversation(page, 'Amélia Foz')
  await form(page).getByRole('tab', { name: 'Internal note' }).click()
  await page.keyboard.type('agora sim')
  expect(await note(page).inputValue()).toBe('agora sim')
  await form(page).getByRole('tab', { name: 'Reply' }).click()
  await page.keyboard.type('a')
  for (const name of ['Template', 'Buttons', 'List', 'Send later']) {
    await tool(page, name).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: 'Cancel' })
      .click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.type('b')
  }
  const file = { name: 'a.txt', mimeType: 'text/plain', buffer: png }
  await page.locator('input[type=file]').setInputFiles(file)
  await page.keyboard.type('c')
  await form(page).getByRole('button', { name: 'Remove a.txt' }).click()
  await page.keyboard.type('d')
  await tool(page, 'Emoji').click()
  await page.getByRole('searchbox', { name: 'Search emoji' }).fill('thumbs up')
  await page.getByRole('button', { name: 'thumbs up', exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type('e')
  await tool(page, 'Emoji').click()
  await page.getByRole('button', { name: 'Food and drink' }).click()
  await page.getByRole('button', { name: 'hot beverage', exact: true }).click()
  await page.getByRole('button', { name: 'hot beverage', exact: true }).click()
  await page.keyboard.type('f')
  await page
    .getByRole('searchbox', { name: 'Search emoji' })
    .waitFor({ state: 'detached' })
  await tool(page, 'Emoji').click()
  await hasFocus(page.getByRole('searchbox', { name: 'Search emoji' }))
  await page.keyboard.press('Escape')
  await page.keyboard.type('g')
  expect(await message(page).inputValue()).toBe('abbbbcd👍️e☕️☕️fg')
  // Both texts survive a reload, and so do the emoji that were used.
  await page.reload()
  await expect.poll(() => message(page).inputValue()).toBe('abbbbcd👍️e☕️☕️fg')
  await tool(page, 'Emoji').click()
  const recent = page.getByRole('group', { name: 'Recently used' })
  await expect
    .poll(() => recent.getByRole('button').allTextContents())
    .toEqual(['☕️', '👍️'])
  await axe(page, 'emoji')
  await page.keyboard.press('Escape')
  await form(page).getByRole('tab', { name: 'Internal note' }).click()
  expect(await note(page).inputValue()).toBe('agora sim')
  await page.keyboard.press('Escape') // leaves the field
  await page.keyboard.press('r')
  await hasFocus(message(page))
  await sent(id)
})

it('sends files with a preview, and its text as their caption', async () => {
  const { page } = await desk.page(laptop)
  await desk.signIn(page)
  const id = await conversation(page, 'Bento Luz')
  // A picture from the clipboard is sent as soon as it is uploaded, also if Enter was faster.
  const uploads: (() => void)[] = []
  await page.route('**/v1/media', async (route) => {
    await new Promise<void>((resolve) => uploads.push(resolve))
    await route.continue()
  })
  await message(page).focus()
  await give(page, '#composer-box textarea', 'paste', [
    { name: 'image.png', type: 'image/png', base64: png.toString('base64') },
  ])
  const named = /^Picture \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d\.png/
  await form(page).getByText(named).waitFor()
  await expect
    .poll(() =>
      form(page)
        .locator('img')
        .evaluate((image: HTMLImageElement) => image.naturalWidth),
    )
    .toBe(1)
  await expect
    .poll(() => message(page).getAttribute('placeholder'))
    .toBe('Add a caption')
  await page.keyboard.type('O comprovante')
  await page.keyboard.press('Enter')
  await expect.poll(() => uploads.length).toBe(1)
  await sent(id)
  uploads.splice(0).forEach((go) => go())
  await sent(id, expect.stringMatching(/^Picture .*\.png: O comprovante$/))
  await page.unroute('**/v1/media')
  await expect.poll(() => message(page).inputValue()).toBe('')
  await hasFocus(message(page))

  // Several by drop: the text belongs to the last one.
  await give(page, '[role=log]', 'drop', [
    { name: 'um.txt', type: 'text/plain', base64: btoa('um') },
    { name: 'pagina.html', type: 'text/html', base64: btoa('<p>') },
    { name: 'dois.txt', type: 'text/plain', base64: btoa('dois') },
  ])
  await page.keyboard.type('O segundo')
  await form(page)
    .getByRole('alert')
    .filter({ hasText: 'WhatsApp doesn’t support this file type.' })
    .waitFor()
  await axe(page, 'files')
  await form(page)
    .getByRole('textbox', { name: 'Caption for um.txt' })
    .fill('O primeiro')
  await form(page).getByRole('button', { name: 'Remove pagina.html' }).click()
  // Files wait while another conversation is open.
  await form(page)
    .getByRole('progressbar')
    .first()
    .waitFor({ state: 'detached' })
  const { conversation: other } = await desk.customer(
    '+5511955557099',
    'Bianca Sá',
    'Oi',
  )
  await go(page, `/inbox/open/${String(other)}`)
  await page.getByRole('heading', { name: 'Bianca Sá' }).waitFor()
  await expect.poll(() => form(page).getByText('dois.txt').count()).toBe(0)
  await go(page, `/inbox/open/${id}`)
  await form(page).getByText('dois.txt').waitFor()
  await message(page).press('Enter')
  await sent(
    id,
    expect.stringMatching(/O comprovante$/),
    'um.txt: O primeiro',
    'dois.txt: O segundo',
  )
})

it('keeps every key around canned replies and mentions', async () => {
  for (const [shortcut, text] of [
    ['oi', 'Olá {{contact.first_name}}!'],
    ['setor', 'O setor {{sector}} abre; a sala é {{sector}}.'],
  ])
    await desk.call('POST', '/replies', {
      shortcut,
      title: shortcut,
      text,
      owner: null,
    })
  const { page } = await desk.page(laptop)
  await desk.signIn(page)
  const id = await conversation(page, 'Célio Dantas')
  const answers: (() => void)[] = []
  await page.route('**/render', async (route) => {
    await new Promise<void>((resolve) => answers.push(resolve))
    await route.continue()
  })
  const list = page.getByRole('listbox', { name: 'Canned replies' })
  await message(page).focus()
  await page.keyboard.type('/oi')
  await list.getByRole('option', { name: /^\/oi/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type(' Já vejo isso.')
  await page.keyboard.press('Enter') // sends when the reply is there
  await expect.poll(() => answers.length).toBe(1)
  await sent(id)
  answers.splice(0).forEach((go) => go())
  await sent(id, 'Olá Célio! Já vejo isso.')
  await page.unroute('**/render')

  const rendered = page.waitForResponse('**/render')
  await page.keyboard.type('/setor')
  await list.getByRole('option', { name: /^\/setor/ }).waitFor()
  await page.keyboard.press('Tab')
  await rendered
  await expect
    .poll(() => message(page).inputValue())
    .toBe('O setor {{sector}} abre; a sala é {{sector}}.')
  await page.keyboard.type('Doces')
  await page.keyboard.press('Enter') // an empty gap blocks sending
  await page.keyboard.press('Tab')
  await page.keyboard.type('12')
  await page.keyboard.press('Enter')
  await sent(id, 'Olá Célio! Já vejo isso.', 'O setor Doces abre; a sala é 12.')
  // What only looks like a shortcut is sent with Enter as well.
  await page.keyboard.type('R$ 10 /quilo')
  await list.getByText('No canned reply matches.').waitFor()
  await page.keyboard.press('Enter')
  await sent(
    id,
    'Olá Célio! Já vejo isso.',
    'O setor Doces abre; a sala é 12.',
    'R$ 10 /quilo',
  )

  await form(page).getByRole('tab', { name: 'Internal note' }).click()
  await page.keyboard.type('@bru')
  await page.getByRole('option', { name: 'Bruno Tavares' }).waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type('pode ver?')
  await expect
    .poll(() => note(page).inputValue())
    .toBe('@Bruno Tavares pode ver?')
  await page.keyboard.press('Enter')
  await log(page).getByText('pode ver?').waitFor()
  await page.keyboard.type('outra')
  expect(await note(page).inputValue()).toBe('outra')
})

it('loses no key of a fast typist, whatever the server says', async () => {
  const { page, context } = await desk.page(laptop)
  await desk.signIn(page)
  const id = await conversation(page, 'Dalva Reis')
  const other = await context.newPage()
  await other.goto(`${desk.url}/contacts`)
  const text = 'O rato roeu a roupa do rei de Roma, e a rainha, rindo. '.repeat(
    6,
  )
  await message(page).focus()
  await page.keyboard.type(text.slice(0, 150))
  await other.evaluate(
    (path) =>
      fetch(path, {
        method: 'PUT',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
          text: 'De outro lugar',
          reply_to_external_id: null,
        }),
      }),
    `${desk.url}/v1/conversations/${id}/draft`,
  )
  await page.keyboard.type(text.slice(150))
  expect(await message(page).inputValue()).toBe(text)
  await conversation(page, 'Elza Nunes')
  expect(await message(page).inputValue()).toBe('')
  await page.goto(`${desk.url}/inbox/open/${id}`)
  await expect.poll(() => message(page).inputValue()).toBe(text)
})

it('sends and closes, and says what writing to a closed case does', async () => {
  const { page } = await desk.page(laptop, /status of 409/) // a blocked contact
  await desk.signIn(page)
  const id = await conversation(page, 'Fausto Gil')
  const open = async () =>
    (await desk.call('GET', `/conversations/${id}`)).attendance !== null
  const hint = form(page).getByText(/^The case (is|was just) closed\./)
  expect(await hint.count()).toBe(0)
  await message(page).fill('Resolvido!')
  await tool(page, 'More ways to send').click()
  await page.getByRole('menuitem', { name: 'Send and close' }).click()
  await page.keyboard.type('x')
  await sent(id, 'Resolvido!')
  await expect.poll(open).toBe(false)
  await expect
    .poll(() => hint.allTextContents())
    .toEqual(['The case was just closed. Your message is still part of it.'])
  expect(await message(page).inputValue()).toBe('x')
  await expect.poll(() => tool(page, 'More ways to send').count()).toBe(0)
  await axe(page, 'closed case')

  await desk.call('PATCH', '/company/attendance', { grace_minutes: 0 })
  await page.reload()
  await expect
    .poll(() => hint.allTextContents())
    .toEqual(['The case is closed. Your message starts a new one.'])
  await message(page).press('Enter')
  await expect.poll(open).toBe(true)
  await expect.poll(() => hint.count()).toBe(0)
  await message(page).fill('Até logo')
  await message(page).press('Control+Shift+Enter')
  await expect.poll(open).toBe(false)
  await sent(id, 'Resolvido!', 'x', 'Até logo')
  await desk.call('PATCH', '/company/attendance', { grace_minutes: 10 })

  // A message that is rejected closes nothing.
  const other = await conversation(page, 'Gilda Paz')
  const { contact } = await desk.call('GET', `/conversations/${other}`)
  await message(page).fill('Tchau')
  await page.route('**/messages', async (route) => {
    await desk.call('PATCH', `/contacts/${String(contact)}`, { blocked: true })
    await route.continue()
  })
  await message(page).press('Control+Shift+Enter')
  await form(page)
    .getByRole('alert')
    .getByText('This contact is blocked.')
    .waitFor()
  expect(await message(page).inputValue()).toBe('Tchau')
  expect(
    (await desk.call('GET', `/conversations/${other}`)).attendance,
  ).not.toBeNull()
})

it('shows the end of the 24-hour window without moving anything, in 480 pixels', async () => {
  const { page } = await desk.page(laptop)
  await desk.signIn(page)
  const id = await conversation(page, 'Hélio Braga')
  for (const [language, name, status] of [
    ['en', 'Answer', 'Window closes in 1 h'],
    ['pt-BR', 'Resposta', 'A janela fecha em 1 h'],
    ['es', 'Respuesta', 'La ventana se cierra en 1 h'],
  ] as const) {
    await speak(page, language)
    const boxes: unknown[] = []
    for (const left of [23 * 60, 72]) {
      await page.route(/\/v1\/conversations/, async (route) => {
        if (route.request().method() !== 'GET') return route.continue()
        const response = await route.fetch()
        const at = new Date(Date.now() + left * 60_000).toISOString()
        await route.fulfill({
          response,
          body: (await response.text()).replaceAll(
            /"window_expires_at":(null|"[^"]*")/g,
            `"window_expires_at":"${at}"`,
          ),
        })
      })
      await page.goto(`${desk.url}/inbox/open/${id}`)
      const composer = page.getByRole('form', { name, exact: true })
      await composer.locator('textarea').fill('Oi')
      const warning = composer.getByRole('status').filter({ hasText: status })
      if (left === 72) await warning.waitFor()
      else expect(await warning.count()).toBe(0)
      boxes.push(
        await composer.evaluate((element) => {
          element.parentElement?.style.setProperty('width', '480px')
          const form = element.getBoundingClientRect()
          const all = (selector: string) => [
            ...element.querySelectorAll(selector),
          ]
          const middle = (one: Element) => {
            const { top, bottom } = one.getBoundingClientRect()
            return Math.round((top + bottom) / 2)
          }
          const fits = all('*').every((one) => {
            const { left: from, right, width } = one.getBoundingClientRect()
            return (
              width === 0 ||
              (from >= form.left - 0.5 && right <= form.right + 0.5)
            )
          })
          return {
            width: form.width,
            height: form.height,
            fits,
            top: new Set(all('[role=tab], label').map(middle)).size,
            buttons: new Set(all('button:not([role=tab])').map(middle)).size,
          }
        }),
      )
      await page.unrouteAll({ behavior: 'wait' })
    }
    const [without, within] = boxes
    expect(without).toMatchObject({
      width: 480,
      fits: true,
      top: 1,
      buttons: 1,
    })
    expect(within).toEqual(without)
  }
  await speak(page, 'en')
})

it('records with a waveform, plays and discards', async () => {
  const { page } = await desk.page({ ...laptop, permissions: ['microphone'] })
  await desk.signIn(page)
  const id = await conversation(page, 'Inês Prado')
  const before = await form(page).boundingBox()
  await tool(page, 'Record voice message').click()
  const bars = () =>
    form(page)
      .locator('svg[preserveAspectRatio] path')
      .first()
      .evaluate((path) => path.getAttribute('d')?.split('M').length ?? 0)
  await tool(page, 'Stop').waitFor()
  await expect.poll(bars).toBeGreaterThan(10)
  expect(await form(page).boundingBox()).toEqual(before) // nothing moved
  await form(page)
    .getByText(/^0:(0[2-9]|[1-5]\d)$/)
    .waitFor()
  await axe(page, 'recording')
  await tool(page, 'Stop').click()
  await form(page)
    .locator('audio')
    .evaluate((one: HTMLAudioElement) => (one.playbackRate = 0.25))
  await tool(page, 'Play').click()
  await expect
    .poll(() => form(page).locator('[data-heard]').getAttribute('d'))
    .toMatch(/^M/)
  await axe(page, 'recorded')
  await tool(page, 'Discard').click()
  await page.keyboard.type('melhor por escrito')
  expect(await message(page).inputValue()).toBe('melhor por escrito')
  await tool(page, 'Record voice message').click()
  await form(page)
    .getByText(/^0:(0[1-9]|[1-5]\d)$/)
    .waitFor()
  await tool(page, 'Stop').click()
  await tool(page, 'Send voice message').click()
  await sent(id, expect.stringMatching(/^voice\./))
  await hasFocus(message(page))
})

it('submits its dialogs with Ctrl+Enter', async () => {
  const { page } = await desk.page(laptop)
  await desk.signIn(page)
  const id = await conversation(page, 'Joel Tavares')
  await message(page).fill('Qual prefere?')
  await tool(page, 'Buttons').click()
  const making = dialog(page, 'Buttons')
  await making.getByRole('textbox', { name: 'Button 1' }).fill('Moto')
  await making.getByRole('textbox', { name: 'Body' }).press('Control+Enter')
  await making.waitFor({ state: 'detached' })
  await sent(id, 'Qual prefere?\n- Moto')
  await page.keyboard.type('Até amanhã')
  expect(await message(page).inputValue()).toBe('Até amanhã')
})

it('is one row on a phone, with the other tools in a menu', async () => {
  const { page, context } = await desk.page(phone)
  await desk.signIn(page)
  const id = await conversation(page, 'Karina Melo')
  const height = async () => (await form(page).boundingBox())?.height ?? 0
  expect(await height()).toBeLessThan(96)
  await tool(page, 'Record voice message').waitFor()
  expect(await tool(page, 'Send').count()).toBe(0)
  // The keyboard does not open by itself.
  await form(page).getByRole('tab', { name: 'Internal note' }).tap()
  expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe(
    'TEXTAREA',
  )
  await form(page).getByRole('tab', { name: 'Reply' }).tap()
  await message(page).fill('Oi')
  expect(await height()).toBeLessThan(96)
  for (const name of ['More', 'Send']) {
    const box = await tool(page, name).boundingBox()
    expect([name, box && Math.min(box.width, box.height) >= 44]).toEqual([
      name,
      true,
    ])
  }
  await message(page).fill('uma\nduas\ntrês')
  expect(await height()).toBeGreaterThan(110)
  await tool(page, 'More').tap()
  await expect
    .poll(() => page.getByRole('menuitem').allTextContents())
    .toEqual([
      'Attach files',
      'Emoji',
      'Canned replies',
      'Template',
      'Buttons',
      'List',
      'Send later',
      'Send and close',
      'Sign with my name',
    ])
  await axe(page, 'menu')
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('menuitem', { name: 'Attach files' }).tap()
  await (
    await choosing
  ).setFiles({ name: 'foto.png', mimeType: 'image/png', buffer: png })
  await form(page).getByRole('button', { name: 'Remove foto.png' }).waitFor()
  await axe(page, 'files on a phone')
  await tool(page, 'Send').tap()
  await sent(id, 'foto.png: uma\nduas\ntrês')
  await expect
    .poll(() =>
      page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
    )
    .toBe(true)
  await context.close()
})
