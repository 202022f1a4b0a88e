import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { Desk } from './desk'
import { axe, dialog, log, message, open } from './parts'
import { totp } from './totp'

let desk: Desk
beforeAll(async () => {
  desk = await Desk.start()
})
afterAll(() => desk.stop())
afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

const region = (page: Page, name: string) =>
  page.getByRole('region', { name, exact: true })
const refused = /status of 4(00|01|09)/

async function profile(page: Page): Promise<void> {
  await page.goto(`${desk.url}/settings/profile`)
  await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor()
  await page.getByRole('list', { name: 'Sessions' }).waitFor()
}

it('changes name, e-mail and signature, which is used in signed messages', async () => {
  await desk.customer('+5511955551001', 'Ivo Lins', 'Bom dia')
  const { page, context } = await desk.page({}, refused)
  await desk.signInAs(page, desk.colleague)
  await page.getByRole('button', { name: /^Account, / }).click()
  await page.getByRole('menuitem', { name: 'Profile' }).click()
  const you = region(page, 'Your details')
  await you.getByRole('textbox', { name: 'Name' }).fill('Lia Rocha')
  await you.getByRole('textbox', { name: 'E-mail' }).fill(desk.demo.login.email)
  await you.getByRole('button', { name: 'Save' }).click()
  await you
    .getByText('Someone else on your team already uses this address.')
    .waitFor()
  await you
    .getByRole('textbox', { name: 'E-mail' })
    .fill('lia.rocha@example.com')
  await you.getByRole('textbox', { name: 'Signature' }).fill('Lia, Suporte')
  await you.getByRole('button', { name: 'Save' }).click()
  await you.getByRole('status').getByText('Saved').waitFor()
  await page.getByRole('button', { name: 'Account, Lia Rocha' }).waitFor()
  await region(page, 'Preferences')
    .getByRole('switch', { name: 'Sign with my name' })
    .check()
  await page.getByRole('link', { name: 'Inbox' }).click()
  await page.getByRole('link', { name: /^All open/ }).click()
  await open(page, 'Ivo Lins')
  await message(page).fill('Bom dia, Ivo')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await log(page).getByText('Lia, Suporte:').waitFor()
  await context.close()
})

it('saves theme, language, sending and notifications', async () => {
  const { page, context } = await desk.page({ colorScheme: 'light' })
  await desk.signInAs(page, desk.colleague)
  await profile(page)
  const theme = page.getByRole('radiogroup', { name: 'Theme' })
  await expect.poll(() => theme.getByRole('radio').count()).toBe(3)
  await theme.getByRole('radio', { name: 'Dark' }).check()
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
  const presence = page.getByRole('radiogroup', { name: 'Presence' })
  await presence.getByRole('radio', { name: 'Away' }).check()
  const shown = async () =>
    (
      (await desk.call('GET', '/team')).data as {
        id: string
        presence: string
      }[]
    ).find((one) => one.id === desk.colleague)?.presence
  await expect.poll(shown).toBe('away')
  await page.getByRole('button', { name: /^Account, / }).click()
  await page.getByRole('menuitem', { name: 'Available' }).click()
  await expect
    .poll(() => presence.getByRole('radio', { name: 'Available' }).isChecked())
    .toBe(true)
  await expect.poll(() => shown()).toBe('online')
  await page.getByRole('radio', { name: 'Ctrl+Enter' }).check()
  await page.getByRole('radio', { name: 'When I reply' }).check()
  await page
    .getByRole('combobox', { name: 'Notify me about' })
    .selectOption('everything')
  await page.getByRole('combobox', { name: 'Sound' }).selectOption('drop')
  await page.getByRole('button', { name: 'Play' }).click()
  await page.getByRole('switch', { name: /^Keyboard shortcuts/ }).uncheck()
  await page.getByRole('combobox', { name: 'Language' }).selectOption('es')
  await page.getByRole('radiogroup', { name: 'Tema' }).waitFor()
  const kept = page.waitForResponse(
    (answer) =>
      answer.request().method() === 'PATCH' &&
      (answer.request().postData() ?? '').includes('"en"'),
  )
  await page.getByRole('combobox', { name: 'Idioma' }).selectOption('en')
  await page.getByRole('radiogroup', { name: 'Theme' }).waitFor()
  await kept
  await profile(page)
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor()
  for (const name of ['Dark', 'Ctrl+Enter', 'When I reply'])
    await expect
      .poll(() => page.getByRole('radio', { name }).isChecked())
      .toBe(true)
  await expect
    .poll(() =>
      page.getByRole('combobox', { name: 'Notify me about' }).inputValue(),
    )
    .toBe('everything')
  await expect
    .poll(() => page.getByRole('combobox', { name: 'Sound' }).inputValue())
    .toBe('drop')
  await expect
    .poll(() =>
      page.getByRole('switch', { name: /^Keyboard shortcuts/ }).isChecked(),
    )
    .toBe(false)
  await theme.getByRole('radio', { name: 'System' }).check()
  await page.locator('html[data-mantine-color-scheme="light"]').waitFor()
  await context.close()
})

it('shows Portuguese on every device of a person who chose it', async () => {
  const { page, context } = await desk.page({ colorScheme: 'light' })
  await desk.signInAs(page, desk.colleague)
  await profile(page)
  const email = await page.evaluate(
    async (base) =>
      (
        (await (await fetch(`${base}/v1/session`)).json()) as {
          user: { email: string }
        }
      ).user.email,
    desk.url,
  )
  const kept = page.waitForResponse(
    (answer) =>
      answer.request().method() === 'PATCH' &&
      (answer.request().postData() ?? '').includes('"pt-BR"'),
  )
  await page
    .getByRole('combobox', { name: /Language|Idioma/ })
    .selectOption('pt-BR')
  await kept
  const other = await desk.page({ colorScheme: 'light' })
  await desk.session(other.page, { email, password: 'correct horse battery' })
  await other.page.goto(`${desk.url}/`)
  await expect.poll(() => other.page.getAttribute('html', 'lang')).toBe('pt-BR')
  await other.context.close()
  const back = page.waitForResponse(
    (answer) =>
      answer.request().method() === 'PATCH' &&
      (answer.request().postData() ?? '').includes('"en"'),
  )
  await page.getByRole('combobox', { name: 'Idioma' }).selectOption('en')
  await back
  await context.close()
})

it('lists and ends sessions; a new password ends the others', async () => {
  const { page, context } = await desk.page({}, refused)
  await desk.signInAs(page, desk.colleague)
  const email = await page.evaluate(
    async (base) =>
      (
        (await (await fetch(`${base}/v1/session`)).json()) as {
          user: { email: string }
        }
      ).user.email,
    desk.url,
  )
  const login = { email, password: 'correct horse battery' }
  const second = await desk.page({}, refused)
  await desk.signIn(second.page, login)
  await profile(page)
  const sessions = region(page, 'Sessions')
  await expect.poll(() => sessions.getByRole('listitem').count()).toBe(2)
  await sessions.getByText('This browser').waitFor()
  await sessions
    .getByRole('button', { name: /^Sign out (?!everywhere)/ })
    .click()
  await second.page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
  await second.context.close()
  const third = await desk.page({}, refused)
  await desk.signIn(third.page, login)
  const password = region(page, 'Password')
  await password
    .getByRole('textbox', { name: 'Current password' })
    .fill('not this one')
  await password
    .getByRole('textbox', { name: 'New password' })
    .fill('a longer new password')
  await password.getByRole('button', { name: 'Change password' }).click()
  await password
    .getByRole('alert')
    .getByText('The current password is incorrect.')
    .waitFor()
  await password
    .getByRole('textbox', { name: 'Current password' })
    .fill(login.password)
  await password.getByRole('button', { name: 'Change password' }).click()
  await password.getByText('Saved').waitFor()
  await third.page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
  await third.context.close()
  await expect.poll(() => sessions.getByRole('listitem').count()).toBe(1)

  const fourth = await desk.page({}, refused)
  await desk.signIn(fourth.page, { email, password: 'a longer new password' })
  await profile(page)
  await sessions
    .getByRole('button', { name: 'Sign out everywhere else' })
    .click()
  await fourth.page.getByRole('dialog', { name: 'Sign in again' }).waitFor()
  await fourth.context.close()
  await expect.poll(() => sessions.getByRole('listitem').count()).toBe(1)
  await expect
    .poll(() =>
      sessions
        .getByRole('button', { name: 'Sign out everywhere else' })
        .count(),
    )
    .toBe(0)
  await context.close()
})

it('turns two-factor sign-in on, uses a code and a recovery code, and turns it off', async () => {
  const { page, context } = await desk.page({}, refused)
  await desk.signInAs(page, desk.colleague)
  const email = await page.evaluate(
    async (base) =>
      (
        (await (await fetch(`${base}/v1/session`)).json()) as {
          user: { email: string }
        }
      ).user.email,
    desk.url,
  )
  await profile(page)
  await region(page, 'Two-factor sign-in')
    .getByRole('button', { name: 'Turn on' })
    .click()
  const on = dialog(page, 'Two-factor sign-in')
  await on
    .getByRole('textbox', { name: 'Current password' })
    .fill('correct horse battery')
  await on.getByRole('button', { name: 'Continue' }).click()
  await on.getByRole('img', { name: 'QR code' }).waitFor()
  await axe(page, 'two-factor')
  const secret = await on.locator('code').innerText()
  await on.getByRole('textbox', { name: 'Code' }).fill('000000')
  await on.getByRole('button', { name: 'Turn on' }).click()
  await on.getByRole('alert').getByText('Incorrect code.').waitFor()
  await on.getByRole('textbox', { name: 'Code' }).fill(totp(secret))
  await on.getByRole('button', { name: 'Turn on' }).click()
  const codes = dialog(page, 'Recovery codes')
  await codes.waitFor()
  await axe(page, 'recovery codes')
  const recovery = await codes
    .getByRole('list', { name: 'Recovery codes' })
    .getByRole('listitem')
    .allInnerTexts()
  expect(recovery).toHaveLength(10)
  await codes.getByRole('button', { name: 'I’ve saved them' }).click()
  const turnOff = region(page, 'Two-factor sign-in').getByRole('button', {
    name: 'Turn off',
  })
  await turnOff.waitFor()

  const other = await desk.page({}, refused)
  await other.page.goto(`${desk.url}/`)
  await other.page.getByRole('textbox', { name: 'E-mail' }).fill(email)
  await other.page
    .getByRole('textbox', { name: 'Password' })
    .fill('correct horse battery')
  await other.page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await other.page
    .getByRole('textbox', { name: 'Code' })
    .fill(recovery[0] ?? '')
  await other.page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await other.page.getByRole('navigation', { name: 'Views' }).waitFor()
  await other.context.close()

  await turnOff.click()
  const off = page.getByRole('alertdialog', { name: 'Turn off' })
  await off
    .getByRole('textbox', { name: 'Current password' })
    .fill('correct horse battery')
  await off.getByRole('textbox', { name: 'Code' }).fill(recovery[1] ?? '')
  await off.getByRole('button', { name: 'Turn off' }).click()
  await region(page, 'Two-factor sign-in')
    .getByRole('button', { name: 'Turn on' })
    .waitFor()
  await context.close()
})

it('has no accessibility violations on a desktop and a phone', async () => {
  for (const small of [false, true]) {
    const { page, context } = await desk.page(
      small
        ? {
            viewport: { width: 390, height: 844 },
            hasTouch: true,
            isMobile: true,
          }
        : {},
    )
    await desk.session(page)
    await profile(page)
    await axe(page, 'profile')
    await expect
      .poll(() =>
        page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
      )
      .toBe(true)
    await context.close()
  }
})

it.each(['pt-BR', 'es'])('has all texts in %s', async (locale) => {
  const { page, context } = await desk.page({ locale })
  await page.goto(`${desk.url}/`)
  await page.locator('input[type=email]').fill(desk.demo.login.email)
  await page.locator('input[type=password]').fill(desk.demo.login.password)
  await page.locator('button[type=submit]').click()
  await page.getByRole('listbox').first().waitFor()
  await page.goto(`${desk.url}/settings/profile`)
  await page.getByRole('heading', { name: 'Perfil', level: 1 }).waitFor()
  await expect
    .poll(() => page.getByRole('main').innerText())
    .not.toMatch(/\b(profile|twoFactor|sessions|settings|common)\.\w/)
  await context.close()
})
