import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Desk } from './desk'
import { axe, go, speak } from './parts'

const paths = {
  company: 'Company',
  channels: 'Channels',
  'channels/connect': 'Connect a WhatsApp number',
  'channels/link': 'Link a number by QR code',
  team: 'Team',
  sectors: 'Departments',
  labels: 'Labels',
  rules: 'Rules',
  replies: 'Canned replies',
  hours: 'Hours',
  'hours/new': 'New opening hours',
}
/** The buttons that open a dialog, by page. */
const dialogs: Record<string, RegExp[]> = {
  team: [/^Invite/, /^Edit/],
  sectors: [/^New/, /^Edit/, /^Delete/],
  labels: [/^New/, /^Delete/],
  hours: [/^Delete/],
  'hours/new': [/^Add an exception/, /^Add Brazilian/],
}

describe('the settings pages', () => {
  let desk: Desk
  beforeAll(async () => {
    desk = await Desk.start()
    await desk.call('POST', '/team/invitations', {
      name: 'Davi Lemos',
      email: 'davi@example.com',
      role: 'agent',
    })
    const spare = await desk.call('POST', '/channels', {
      name: 'Reserva',
      provider: 'sandbox',
      phone: '+5511955557001',
    })
    await desk.call('POST', '/hours', {
      name: 'Loja',
      weekly: [{ days: ['mon', 'sat'], from: '08:00', to: '12:00' }],
    })
    await desk.call('PATCH', `/channels/${String(spare.id)}`, {
      status: 'disconnected',
    })
  })
  afterAll(() => desk.stop())
  afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

  it('have no accessibility violations on a desktop', async () => {
    const { page } = await desk.page()
    await desk.signIn(page)
    for (const [path, title] of Object.entries(paths)) {
      await go(page, `/settings/${path}`)
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      await expect
        .poll(() => page.getByRole('status', { name: 'Loading' }).count())
        .toBe(0)
      await axe(page, path)
      for (const button of dialogs[path] ?? []) {
        await page
          .getByRole('main')
          .getByRole('button', { name: button })
          .first()
          .click()
        const opened = page
          .getByRole('dialog')
          .or(page.getByRole('alertdialog'))
        await opened.waitFor()
        await axe(page, `${path}, ${button}`)
        await opened.getByRole('button', { name: 'Dismiss' }).click()
        await opened.waitFor({ state: 'detached' })
      }
    }
    await go(page, '/settings/channels')
    await page
      .getByRole('list', { name: 'Numbers' })
      .getByRole('link')
      .first()
      .click()
    await page.getByRole('region', { name: 'Status' }).waitFor()
    await axe(page, 'one number')
    await go(page, `/settings/sectors/${desk.company.sectors[0]}`)
    await page.getByRole('table', { name: 'Members' }).waitFor()
    await axe(page, 'who gets the next case')
  })

  it('fit a phone', async () => {
    const { page } = await desk.page({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    })
    await desk.signIn(page)
    for (const [path, title] of Object.entries(paths)) {
      await go(page, `/settings/${path}`)
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      await expect
        .poll(() => page.getByRole('status', { name: 'Loading' }).count())
        .toBe(0)
      await axe(page, `${path} on a phone`)
      expect([
        path,
        await page.evaluate(
          () =>
            document.documentElement.scrollWidth <= innerWidth &&
            [...document.querySelectorAll('main *')].every(
              (one) =>
                one.closest('nav') ||
                one.getBoundingClientRect().right <= innerWidth + 1,
            ),
        ),
      ]).toEqual([path, true])
    }
  })

  it.each(['pt-BR', 'es', 'en'])(
    'have all their texts in %s',
    async (language) => {
      const { page } = await desk.page()
      await desk.signIn(page)
      await speak(page, language)
      for (const path of Object.keys(paths)) {
        await page.goto(`${desk.url}/settings/${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await expect
          .poll(() => page.getAttribute('html', 'lang'))
          .toBe(language)
        const keys = ((await page.textContent('body')) ?? '').match(
          /\b(settings|company|channels|connect|team|sectors|labels|rules|checklist|common|setup|hours|distribution)\.[a-z]\w+/g,
        )
        expect([path, keys]).toEqual([path, null])
      }
      await page.goto(`${desk.url}/settings/channels`)
      const spare = page.getByRole('link', { name: /^Reserva/ })
      await spare
        .getByText(
          {
            'pt-BR': 'Desconectado pela sua equipe.',
            es: 'Desconectado por tu equipo.',
            en: 'Disconnected by your team.',
          }[language] ?? '',
        )
        .waitFor()
      await speak(page, 'en')
    },
  )
})
