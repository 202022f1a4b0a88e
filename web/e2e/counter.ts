import type { Page } from 'playwright-core'
import { vi } from 'vitest'
import { Desk } from './desk'
import { dialog, log, open } from './parts'
import { Simulator } from './simulator'

type Sent = {
  type: string
  client_id: string
  body: Record<string, Record<string, unknown>>
}

export const minute = 60_000

export const form = (page: Page) => page.getByRole('form', { name: 'Answer' })
export const scheduled = (page: Page) =>
  page.getByRole('region', { name: 'Scheduled messages' })
export const entry = (page: Page, text: string) =>
  scheduled(page).getByRole('listitem').filter({ hasText: text })

const templates = [
  {
    name: 'pedido_enviado',
    body: 'Olá {{1}}, o pedido {{2}} saiu.',
    more: [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'FOOTER', text: 'Padaria' },
      { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'Obrigado' }] },
    ],
  },
  { name: 'promocao', body: 'Pão com desconto', status: 'PAUSED' },
  { name: 'recusado', body: 'Compre já', status: 'REJECTED' },
]

/** Counter is a desk with the demo company and a simulated WhatsApp number with templates. */
export class Counter {
  private constructor(
    readonly desk: Desk,
    readonly simulator: Simulator,
    private readonly timezone: string,
  ) {}

  static async start(): Promise<Counter> {
    const simulator = await Simulator.start()
    const desk = await Desk.start({
      flags: ['--whatsapp-base-url', simulator.url],
    })
    for (const { name, body, status = '', more = [] } of templates) {
      await simulator.control('POST', 'templates', {
        name,
        language: 'pt_BR',
        category: 'UTILITY',
        status,
        body,
        components: [{ type: 'BODY', text: body }, ...more],
      })
    }
    const credentials = Object.fromEntries(
      (['phone_number_id', 'waba_id', 'token', 'app_secret'] as const).map(
        (name) => [name, simulator.credential(name)],
      ),
    )
    const { id } = await desk.call('POST', '/channels', {
      name: 'Balcão',
      provider: 'whatsapp',
      credentials,
    })
    await vi.waitFor(
      async () => {
        const { data } = (await desk.call(
          'GET',
          `/channels/${String(id)}/templates`,
        )) as { data: unknown[] }
        if (data.length < templates.length)
          throw new Error('the templates are not fetched yet')
      },
      { timeout: 90_000 },
    )
    return new Counter(
      desk,
      simulator,
      String((await desk.call('GET', '/company')).timezone),
    )
  }

  async stop(): Promise<void> {
    await this.desk.stop()
    await this.simulator.stop()
  }

  /** local formats a time for a date-time input in the company's time zone. */
  local(at: number): string {
    return new Intl.DateTimeFormat('sv-SE', {
      timeZone: this.timezone,
      dateStyle: 'short',
      timeStyle: 'short',
    })
      .format(at)
      .replace(' ', 'T')
  }

  /** soon returns a full minute that is still more than a minute ahead when the form is submitted. */
  soon(): string {
    return this.local(Math.ceil((Date.now() + 100_000) / minute) * minute)
  }

  /** ledger returns what a customer's phone received. */
  async ledger(customer: string): Promise<Sent[]> {
    return (await this.simulator.control(
      'GET',
      `ledger?recipient=${customer}`,
    )) as Sent[]
  }

  /** write sends a message as a customer and opens the conversation. */
  async write(
    page: Page,
    customer: string,
    name: string,
    text: string,
  ): Promise<void> {
    await this.simulator.customer(customer, name, text)
    await this.simulator.control('POST', 'drain')
    await open(page, name)
    await log(page).getByText(text).waitFor()
  }
}

/** later opens the schedule dialog with the keyboard. */
export async function later(page: Page) {
  const button = form(page).getByRole('button', { name: 'Send later' })
  if (await button.count())
    await button.and(page.locator(':enabled')).press('Enter')
  else {
    await form(page).getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Send later' }).click()
  }
  return dialog(page, 'Send later')
}

/** each opens the composer's dialogs one by one. */
export async function each(
  page: Page,
  names: { tools: string[]; dismiss: string },
  look: (screen: string) => Promise<void>,
): Promise<void> {
  for (const [at, name] of names.tools.entries()) {
    const button = page.getByRole('button', { name, exact: true })
    if (await button.count()) await button.click()
    else {
      await page
        .locator('form')
        .getByRole('button', { name: 'More', exact: true })
        .click()
      await page.getByRole('menuitem', { name }).click()
    }
    const opened = page.getByRole('dialog')
    await opened.locator('input, textarea').first().waitFor()
    if (at === 3) {
      await opened.getByRole('button', { name: /^pedido_enviado/ }).click()
      await opened.locator('input[type=file]').waitFor({ state: 'attached' })
    }
    await look(name)
    await opened.getByRole('button', { name: names.dismiss }).click()
    await opened.waitFor({ state: 'detached' })
  }
}
