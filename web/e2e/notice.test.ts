import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, it, expect } from 'vitest'
import { Desk, sqliteOnly } from './desk'
import { speak } from './parts'
import { Simulator } from './simulator'

describe.each(sqliteOnly)(
  'messages without text, in Portuguese, %s',
  (engine) => {
    let desk: Desk
    let simulator: Simulator
    let page: Page
    const customer = '5511955550001'
    const thread = () => page.getByRole('log', { name: 'Mensagens' })
    const channel = async () => {
      const credentials = Object.fromEntries(
        (['phone_number_id', 'waba_id', 'token', 'app_secret'] as const).map(
          (name) => [name, simulator.credential(name)],
        ),
      )
      return String(
        (
          await desk.call('POST', '/channels', {
            name: 'Balcão',
            provider: 'whatsapp',
            credentials,
          })
        ).id,
      )
    }
    beforeAll(async () => {
      simulator = await Simulator.start()
      desk = await Desk.start({
        engine,
        flags: ['--whatsapp-base-url', simulator.url],
      })
      page = (await desk.page()).page
      await desk.signIn(page)
      await speak(page, 'pt-BR')
    })
    afterAll(async () => {
      expect(await desk.problemsOf()).toEqual([])
      await desk.stop()
      await simulator.stop()
    })

    it('shows a missed call and a form, and explains why free text is rejected', async () => {
      const id = await channel()
      const calls = [
        {
          id: 'wacid.1',
          from: customer,
          event: 'terminate',
          direction: 'USER_INITIATED',
          status: 'FAILED',
          timestamp: String(Math.floor(Date.now() / 1000)),
        },
      ]
      await simulator.control('POST', 'pushes', {
        field: 'calls',
        value: {
          contacts: [{ profile: { name: 'Davi Rocha' }, wa_id: customer }],
          calls,
        },
      })
      await simulator.control('POST', 'drain')
      const found = (await desk.call(
        'GET',
        '/conversations?q=davi',
      )) as unknown as { data: { id: string }[] }
      await page.goto(`${desk.url}/inbox/open/${found.data[0]?.id}`)
      await thread()
        .getByRole('article')
        .getByText('Chamada de voz perdida', { exact: true })
        .waitFor()
      await page
        .getByRole('option', { name: /^Davi Rocha/ })
        .getByText('Chamada de voz perdida', { exact: true })
        .waitFor()

      const response = JSON.stringify({
        flow_token: 's3cret',
        screen_0_Nome_0: 'Davi',
        fotos: [{ file_name: 'casa.jpg', id: 7 }],
      })
      await simulator.control('POST', 'messages', {
        customer,
        name: 'Davi Rocha',
        type: 'interactive',
        payload: {
          type: 'nfm_reply',
          nfm_reply: { name: 'flow', body: 'Sent', response_json: response },
        },
      })
      const form = thread().getByLabel('Formulário')
      await form.getByText('casa.jpg').waitFor()
      await expect
        .poll(() => form.locator('dt').allTextContents())
        .toEqual(['Nome', 'fotos'])
      expect(await thread().getByText('Sent', { exact: true }).count()).toBe(0)

      const fresh = await desk.call('POST', '/conversations', {
        channel_id: id,
        phone: '+5511955559999',
      })
      await page.goto(`${desk.url}/inbox/open/${String(fresh.id)}`)
      await page
        .getByRole('group', { name: 'A janela de 24 horas fechou' })
        .getByText('Envie um modelo para iniciar a conversa.')
        .waitFor()
    })
  },
)
