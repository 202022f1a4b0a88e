import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Desk } from './desk'
import {
  dialog,
  hasFocus,
  log,
  message,
  open,
  row,
  rows,
  show,
  showDetails,
} from './parts'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

it('searches messages and opens the conversation at the result', async () => {
  await desk.customer(
    '+5511955559001',
    'Gina Alves',
    'Preciso do relatório trimestral',
  )
  for (let n = 0; n < 60; n++)
    await desk.customer('+5511955559001', 'Gina Alves', `Linha ${n}`)
  const { page } = await desk.page()
  await desk.signIn(page)
  await page
    .getByRole('searchbox', { name: 'Search conversations' })
    .fill('relatorio trim')
  await page
    .getByRole('button', { name: /^Search messages for .relatorio trim.$/ })
    .click()
  const found = page
    .getByRole('list', { name: 'Messages found' })
    .getByRole('link', { name: /Gina Alves.*relatório trimestral/ })
  await expect.poll(() => found.count()).toBe(1)
  await found.click()
  await log(page).getByText('Preciso do relatório trimestral').waitFor()
  await page.getByRole('button', { name: /^Jump to newest/ }).click()
  await log(page).getByText('Linha 59', { exact: true }).waitFor()
})

it('reacts to a message', async () => {
  await desk.customer('+5511955559002', 'Hugo Paz', 'Chegou, obrigado!')
  const { page } = await desk.page()
  await desk.signIn(page)
  await open(page, 'Hugo Paz')
  const article = log(page)
    .getByRole('article')
    .filter({ hasText: 'Chegou, obrigado!' })
  await article.hover()
  await article.getByRole('button', { name: 'Message actions' }).click()
  await page.getByRole('menuitem', { name: 'React', exact: true }).click()
  await page.getByRole('menuitem', { name: '👍' }).click()
  await article.getByText('👍').waitFor()
})

it('opens a case by its protocol number, with or without the prefix', async () => {
  const { conversation } = (await desk.customer(
    '+5511955559003',
    'Ivo Protocolo',
    'Oi',
  )) as { conversation: string }
  const { protocol } = (await desk.call(
    'GET',
    `/conversations/${conversation}/attendance`,
  )) as { protocol: string }
  const { page } = await desk.page()
  await desk.signIn(page)
  const field = page.getByRole('searchbox', { name: 'Search conversations' })
  for (const text of [protocol, String(Number(protocol.slice(4)))]) {
    await show(page, /^All open/)
    await field.fill(text)
    await field.press('Enter')
    await page.getByRole('heading', { name: 'Ivo Protocolo' }).waitFor()
  }
  await show(page, /^All open/)
  await page.getByText('Choose a conversation').waitFor()
  await page.keyboard.press('Control+k')
  await dialog(page, 'Search and commands')
    .getByRole('searchbox')
    .fill(protocol)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Ivo Protocolo' }).waitFor()
})

it('shows pinned conversations first in All open', async () => {
  await desk.customer('+5511955559004', 'Pia Fixada', 'Oi')
  await desk.customer('+5511955559005', 'Rui Novo', 'Oi')
  const { page } = await desk.page()
  await desk.signIn(page)
  await show(page, /^All open/)
  await row(page, 'Rui Novo').waitFor()
  const isFirst = async (name: string, than: string) => {
    const names = await rows(page).getByRole('option').allTextContents()
    const [at, other] = [name, than].map((one) =>
      names.findIndex((text) => text.includes(one)),
    )
    return (
      at !== undefined &&
      other !== undefined &&
      at >= 0 &&
      other >= 0 &&
      at < other
    )
  }
  await expect.poll(() => isFirst('Rui Novo', 'Pia Fixada')).toBe(true)
  await row(page, 'Pia Fixada').click()
  await page.getByRole('button', { name: 'More actions' }).click()
  const stored = page.waitForResponse(
    (answer) => answer.request().method() === 'PATCH',
  )
  await page.getByRole('menuitem', { name: 'Pin', exact: true }).click()
  await expect.poll(() => isFirst('Pia Fixada', 'Rui Novo')).toBe(true)
  await stored
  await desk.customer('+5511955559005', 'Rui Novo', 'Mais uma')
  await row(page, 'Rui Novo').filter({ hasText: 'Mais uma' }).waitFor()
  await expect.poll(() => isFirst('Pia Fixada', 'Rui Novo')).toBe(true)
  await page.reload()
  await expect.poll(() => isFirst('Pia Fixada', 'Rui Novo')).toBe(true)
})

it('continues from the composer with Tab after Escape', async () => {
  await desk.customer('+5511955559006', 'Tea Tab', 'Oi')
  const { page } = await desk.page()
  await desk.signIn(page)
  await open(page, 'Tea Tab')
  await message(page).focus()
  await page.keyboard.press('Escape')
  await expect
    .poll(() => message(page).evaluate((box) => box === document.activeElement))
    .toBe(false)
  await page.keyboard.press('Tab')
  const form = page.getByRole('form', { name: 'Answer', exact: true })
  await expect
    .poll(() =>
      form.evaluate(
        (one) =>
          one.contains(document.activeElement) &&
          document.activeElement?.tagName === 'BUTTON',
      ),
    )
    .toBe(true)
  await page.keyboard.press('Shift+Tab')
  await hasFocus(message(page))
})

it('shows when, by whom and why the last case was closed', async () => {
  const { conversation } = (await desk.customer(
    '+5511955559007',
    'Caso Encerrado',
    'Oi',
  )) as { conversation: string }
  await desk.call('POST', `/conversations/${conversation}/attendance/close`, {
    reason: 'Resolved by phone',
  })
  const { page } = await desk.page()
  await desk.signIn(page)
  await open(page, 'Caso Encerrado')
  const facts = (await showDetails(page)).getByRole('region', { name: 'Case' })
  for (const text of [
    'Closed',
    'Closed by',
    'Ana Ribeiro',
    'Reason',
    'Resolved by phone',
  ])
    await facts.getByText(text, { exact: true }).first().waitFor()
})
