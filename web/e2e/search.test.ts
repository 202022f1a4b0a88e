import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Desk } from './desk'
import { log, open } from './parts'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

it('searches in messages and opens the conversation at the one that was found', async () => {
  await desk.customer('+5511955559001', 'Gina Alves', 'Preciso do relatório trimestral')
  for (let n = 0; n < 60; n++) await desk.customer('+5511955559001', 'Gina Alves', `Linha ${n}`)
  const { page } = await desk.page()
  await desk.signIn(page)
  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('relatorio trim')
  await page.getByRole('button', { name: /^Search messages for .relatorio trim.$/ }).click()
  const found = page.getByRole('list', { name: 'Messages found' }).getByRole('link', { name: /Gina Alves.*relatório trimestral/ })
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
  const article = log(page).getByRole('article').filter({ hasText: 'Chegou, obrigado!' })
  await article.hover()
  await article.getByRole('button', { name: 'Message actions' }).click()
  await page.getByRole('menuitem', { name: 'React', exact: true }).click()
  await page.getByRole('menuitem', { name: '👍' }).click()
  await article.getByText('👍').waitFor()
})
