import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Desk, postgresOnly } from './desk'
import { axe, dialog, hasFocus, log, speak } from './parts'

type File = { name: string; content: string | Buffer }

const upload = ({ name, content }: File) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(content),
})

/** choose chooses a file with the button. */
async function choose(page: Page, file: File): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Choose file' }).click(),
  ])
  await chooser.setFiles(upload(file))
}

/** drop drops a file on the page. */
const drop = (page: Page, { name, content }: File) =>
  page.evaluate(
    ([title, text]) => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([text], title))
      document.body.dispatchEvent(
        new DragEvent('drop', {
          dataTransfer,
          bubbles: true,
          cancelable: true,
        }),
      )
    },
    [name, String(content)] as const,
  )

const counts = (box: Locator) =>
  expect.poll(() => box.locator('dd').allTextContents())

const fits = (page: Page) =>
  expect
    .poll(() =>
      page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
    )
    .toBe(true)

/** people returns a CSV file with so many contacts. */
const people = (count: number) =>
  `Nome;Telefone\r\n${Array.from({ length: count }, (_, n) => `Pessoa ${n};+55 11 9${String(30_000_000 + n)}\r\n`).join('')}`

describe.each(postgresOnly)('on %s', (engine) => {
  let desk: Desk
  beforeAll(async () => {
    desk = await Desk.start({ engine })
  })
  afterAll(() => desk.stop())
  afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

  const contact = async (name: string) => {
    const { data } = await desk.call(
      'GET',
      `/contacts?q=${encodeURIComponent(name)}`,
    )
    return (data as Record<string, unknown>[])[0]
  }

  it('imports contacts, with a column mapped by hand, and returns the lines with errors', async () => {
    await desk.call('POST', '/fields', {
      entity: 'contact',
      key: 'note',
      name: 'Nota interna',
      type: 'text',
    })
    const { page } = await desk.page()
    await desk.session(page)
    await page.goto(`${desk.url}/contacts`)
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    const box = dialog(page, 'Import contacts')
    await hasFocus(box.getByRole('button', { name: 'Choose file' }))
    await axe(page, 'choose a file')
    await choose(page, {
      name: 'clientes.csv',
      content:
        '\uFEFFNome;Telefone;Cidade;Etiquetas;Observações\r\n' +
        'João Importado;(11) 95555-8001;São Paulo;Balcão;gosta de café\r\n' +
        'Maria Sem Fone;123;;;\r\n' +
        'João de novo;+55 11 95555-8001;;;\r\n',
    })
    await counts(box).toEqual(['1', '0', '2'])
    await box.getByText('gosta de café').waitFor()
    const column = box.getByRole('combobox', { name: 'Observações' })
    await column.selectOption({ label: 'Nota interna' })
    const preview = box.getByRole('group', {
      name: 'How the first lines will be stored',
    })
    await preview.getByRole('columnheader', { name: 'Nota interna' }).waitFor()
    await preview
      .getByRole('row', {
        name: /New João Importado.*São Paulo.*gosta de café/,
      })
      .waitFor()
    await preview.getByRole('row', { name: /Skipped Maria Sem Fone/ }).waitFor()
    const wrong = box.getByRole('group', { name: '2 lines with errors' })
    await wrong
      .getByRole('row', { name: '3 Phone This is not a valid phone number.' })
      .waitFor()
    await wrong.getByRole('row', { name: '4 Phone Line 2 has' }).waitFor()
    await axe(page, 'check contacts')
    await page.keyboard.press('Escape') // does not lose the choices
    expect(await contact('João Importado')).toBeUndefined()
    await box.getByRole('button', { name: 'Import 1 contact' }).click()
    await box.getByText('Import finished.').waitFor()
    await counts(box).toEqual(['1', '0', '2'])
    await axe(page, 'imported contacts')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      box.getByRole('link', { name: 'Download the lines with errors' }).click(),
    ])
    expect(readFileSync(await file.path(), 'utf8')).toMatch(
      /^\uFEFFNome;.*;error;error_code\r\nMaria Sem Fone;123;.*\r\nJoão de novo;/,
    )
    expect(await contact('João Importado')).toMatchObject({
      phone: '+5511955558001',
      city: 'São Paulo',
      fields: { note: 'gosta de café' },
    })
    await page.reload()
    await box.getByText('Import finished.').waitFor()
    await box.getByRole('link', { name: 'Show contacts' }).click()
    await page.getByRole('row', { name: /João Importado.*Balcão/ }).waitFor()
  })

  it('imports contacts by keyboard from a dropped file in Windows-1252 with commas', async () => {
    const { page } = await desk.page()
    await desk.session(page)
    await page.goto(`${desk.url}/contacts/import`)
    const box = dialog(page, 'Import contacts')
    await box.getByText('Drop a CSV file here').waitFor()
    await drop(page, {
      name: 'lista.csv',
      content: 'who,Celular\r\nÉrica Teclado,11955558002\r\n',
    })
    await counts(box).toEqual(['1', '0', '0'])
    await box.getByRole('button', { name: 'Choose another file' }).focus()
    await page.keyboard.press('Enter')
    await choose(page, {
      name: 'lista.csv',
      content: Buffer.from(
        'who,Celular\r\nÉrica Teclado,11955558002\r\n',
        'latin1',
      ),
    })
    const column = box.getByRole('combobox', { name: 'who' })
    await column.focus()
    await page.keyboard.type('Name')
    await box.getByRole('row', { name: /New Érica Teclado/ }).waitFor()
    const start = box.getByRole('button', { name: 'Import 1 contact' })
    await expect.poll(() => start.isEnabled()).toBe(true)
    await start.focus()
    await page.keyboard.press('Enter')
    await box.getByText('Import finished.').waitFor()
    await page.keyboard.press('Escape')
    await box.waitFor({ state: 'detached' })
    expect(await contact('Érica Teclado')).toMatchObject({
      phone: '+5511955558002',
    })
  })

  it('says what is wrong with a file', async () => {
    const { page } = await desk.page({}, /status of 400 .*\/imports/)
    await desk.session(page)
    await page.goto(`${desk.url}/contacts/import`)
    const box = dialog(page, 'Import contacts')
    const problem = (text: string) =>
      box.getByRole('alert').filter({ hasText: text }).waitFor()
    await choose(page, { name: 'clientes.xlsx', content: 'PK' })
    await problem('Choose a CSV file.')
    await drop(page, { name: 'vazio.csv', content: '' })
    await problem('This file is empty.')
    for (const [content, text] of [
      [Buffer.from('PK\u0003\u0004\0\0\0'), 'This isn’t a CSV file'],
      [Buffer.from('\uFEFFNome;Telefone', 'utf16le'), 'Save it as “CSV UTF-8”'],
      ['\r\n', 'This file is empty.'],
    ] as const) {
      await choose(page, { name: 'clientes.csv', content })
      await problem(text)
      await box.getByRole('button', { name: 'Choose another file' }).click()
    }
    await choose(page, { name: 'so-cabecalho.csv', content: 'Foo;Bar\r\n' })
    await box.getByText('Choose the column with the phone numbers.').waitFor()
    await expect
      .poll(() =>
        box.getByRole('button', { name: 'Import 0 contacts' }).isDisabled(),
      )
      .toBe(true)
  })

  it('shows a long import again after a reload, on a phone, and stops it', async () => {
    const { page } = await desk.page({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    })
    await desk.session(page)
    await page.goto(`${desk.url}/contacts`)
    await page.getByRole('button', { name: 'Import', exact: true }).tap()
    const box = dialog(page, 'Import contacts')
    await choose(page, { name: 'muitos.csv', content: people(100_000) })
    const start = box.getByRole('button', { name: 'Import 100,000 contacts' })
    await start.waitFor()
    await fits(page)
    await axe(page, 'check contacts on a phone')
    await start.tap()
    await box.getByRole('progressbar').waitFor()
    await fits(page)
    await page.reload()
    await box.getByRole('progressbar').waitFor()
    await page.goto(`${desk.url}/contacts/import`)
    await box.getByRole('button', { name: 'Show progress' }).tap()
    await box.getByRole('button', { name: 'Stop' }).tap()
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: 'Stop' })
      .tap()
    await box
      .getByRole('alert')
      .filter({
        hasText: /^Stopped before it finished\. Processed .* of 100,000\./,
      })
      .waitFor()
  })

  it('downloads an example in the user’s language that can be imported', async () => {
    const { page } = await desk.page()
    await desk.session(page)
    await page.goto(`${desk.url}/contacts/import`)
    await dialog(page, 'Import contacts').waitFor()
    await speak(page, 'pt-BR')
    await page.reload()
    const box = dialog(page, 'Importar contatos')
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      box.getByRole('button', { name: 'Baixar um exemplo' }).click(),
    ])
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      box.getByRole('button', { name: 'Escolher arquivo' }).click(),
    ])
    await chooser.setFiles(
      upload({
        name: file.suggestedFilename(),
        content: readFileSync(await file.path()),
      }),
    )
    await box.getByRole('button', { name: 'Importar 2 contatos' }).waitFor()
    await speak(page, 'en')
  })

  it('imports a chat into a conversation of a new customer', async () => {
    const { page } = await desk.page({}, /status of 400 .*\/imports/)
    await desk.session(page)
    await page.goto(`${desk.url}/contacts/import-chat`)
    const box = dialog(page, 'Import a WhatsApp chat')
    await axe(page, 'choose a chat')
    await choose(page, { name: 'foto.jpg', content: 'x' })
    await box.getByRole('alert').filter({ hasText: '.txt or .zip' }).waitFor()
    await choose(page, { name: 'lista.txt', content: 'pão, leite' })
    await box.getByRole('alert').filter({ hasText: 'WhatsApp' }).waitFor()
    await box.getByRole('button', { name: 'Choose another file' }).click()
    await choose(page, {
      name: 'Conversa do WhatsApp com Carla Nunes.txt',
      content:
        '05/03/2024 09:15 - Carla Nunes: Vocês têm bolo de fubá?\n' +
        '05/03/2024 09:17 - Padaria Sol: Temos sim.\nSai às 10h.\n' +
        '06/03/2024 10:03 - Carla Nunes: Obrigada!\n',
    })
    const first = box.getByRole('group', { name: 'First messages' })
    await first.getByText('Carla Nunes, March 5, 2024, 09:15').waitFor()
    const order = box.getByRole('radiogroup', { name: 'Dates in the file' })
    await order.getByRole('radio', { name: 'Month, day, year' }).click()
    await first.getByText('Carla Nunes, May 3, 2024, 09:15').waitFor()
    await order.getByRole('radio', { name: 'Day, month, year' }).click()
    await first.getByText('Carla Nunes, March 5, 2024, 09:15').waitFor()
    await box.getByRole('radio', { name: 'Padaria Sol, 1 message' }).click()
    await box
      .getByRole('combobox', { name: 'Contact or phone' })
      .fill('+55 11 95555-8009')
    await axe(page, 'check a chat')
    await page.setViewportSize({ width: 390, height: 844 })
    await fits(page)
    await box.getByRole('button', { name: 'Import 3 messages' }).click()
    await box.getByText('3 messages imported.').waitFor()
    await fits(page)
    await page.setViewportSize({ width: 1280, height: 720 })
    await page.reload()
    await box.getByRole('link', { name: 'Open conversation' }).click()
    await log(page).getByText('Vocês têm bolo de fubá?').waitFor()
    await log(page).getByText('Sai às 10h.').waitFor()
    expect(await contact('Carla Nunes')).toMatchObject({
      phone: '+5511955558009',
    })
  })
})
