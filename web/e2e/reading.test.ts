import { crc32, deflateSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Counter } from './counter'
import type { Desk } from './desk'
import { axe, dialog, log, message, open } from './parts'

type Sent = { id: string; conversation: string; external_id: string }

const article = (page: Page, text: string | RegExp) =>
  log(page).getByRole('article').filter({ hasText: text })

/** act selects an item from a message's menu. */
async function act(page: Page, text: string, item: string): Promise<void> {
  await article(page, text).hover()
  await article(page, text)
    .getByRole('button', { name: 'Message actions' })
    .click()
  await page.getByRole('menuitem', { name: item, exact: true }).click()
}

/** below returns how far the thread is from its end, in pixels. */
const below = (page: Page) =>
  log(page).evaluate((one) =>
    Math.round(one.scrollHeight - one.scrollTop - one.clientHeight),
  )

/** png returns a grey picture. */
function png(width: number, height: number): Uint8Array<ArrayBuffer> {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head[8] = 8
  return new Uint8Array(
    Buffer.concat([
      Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
      chunk('IHDR', head),
      chunk('IDAT', deflateSync(Buffer.alloc((width + 1) * height, 120))),
      chunk('IEND', Buffer.alloc(0)),
    ]),
  )
}

describe('reading a conversation', () => {
  let counter: Counter
  let desk: Desk
  let page: Page

  beforeAll(async () => {
    counter = await Counter.start()
    desk = counter.desk
    const size = { viewport: { width: 1280, height: 720 } }
    page = (await desk.page(size, /status of 409 .*contacts/)).page
    await desk.signIn(page)
  })
  afterAll(async () => {
    expect(await desk.problemsOf()).toEqual([])
    await counter.stop()
  })

  const upload = async (name: string, content: BlobPart) => {
    const form = new FormData()
    form.append('file', new File([content], name))
    const response = await fetch(`${desk.url}/v1/media`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${desk.company.api_key}` },
      body: form,
    })
    return ((await response.json()) as { id: string }).id
  }
  /** writer sends messages as one customer of the test number. */
  const writer = (from: string, name: string) => async (body: object) =>
    (await desk.call('POST', `/channels/${desk.company.channel}/simulate`, {
      from,
      name,
      ...body,
    })) as unknown as Sent
  const transfer = (conversation: string, user_id: string | undefined) =>
    desk.call('POST', `/conversations/${conversation}/transfer`, { user_id })

  it('shows places, contact cards and ads as WhatsApp does', async () => {
    const customer = { customer: '5511955559001', name: 'Rita Cards' }
    const sends = (body: object) =>
      counter.simulator.control('POST', 'messages', { ...customer, ...body })
    await sends({
      text: 'Vi o anúncio',
      extra: {
        referral: {
          source_url: 'https://fb.me/pao',
          source_type: 'ad',
          headline: 'Pão quentinho',
          body: 'Peça já',
        },
      },
    })
    await sends({
      type: 'location',
      payload: {
        latitude: -23.5613,
        longitude: -46.6565,
        name: 'MASP',
        address: 'Av. Paulista, 1578',
      },
    })
    await sends({
      type: 'contacts',
      payload: [
        {
          name: { formatted_name: 'Bruna Cartão' },
          phones: [{ phone: '+55 11 95555-9002' }],
        },
      ],
    })
    await counter.simulator.control('POST', 'drain')
    await open(page, 'Rita Cards')
    const ad = article(page, 'Vi o anúncio')
    await ad.getByText('Pão quentinho').waitFor()
    expect(
      await ad.getByRole('link', { name: /^View source/ }).getAttribute('href'),
    ).toBe('https://fb.me/pao')
    const map = article(page, 'Av. Paulista, 1578').getByRole('link', {
      name: 'Open in maps',
    })
    expect(await map.getAttribute('href')).toContain('-23.5613%2C-46.6565')
    expect(await map.getAttribute('rel')).toBe('noopener noreferrer')
    const card = article(page, 'Bruna Cartão')
    await axe(page, 'cards')
    await card.getByRole('button', { name: 'Save contact' }).click()
    const link = card.getByRole('link', { name: 'View contact' })
    await link.waitFor()
    await page.reload()
    await card.getByRole('button', { name: 'Save contact' }).click() // exists
    await link.waitFor()
    await card.getByRole('button', { name: 'Message', exact: true }).click()
    await page.getByRole('heading', { name: 'Bruna Cartão' }).waitFor()
  })

  it('formats texts, folds long ones and shows emoji large', async () => {
    const write = writer('+5511955559003', 'Teo Textos')
    await write({ text: '👍' })
    await write({
      text: 'Quero:\n- pão\n- *leite*\n> citado\nLigue (11) 98765-4321 ou teo@loja.com.br',
    })
    await write({
      text: Array.from({ length: 40 }, (_, n) => `Item ${n}.`).join('\n'),
    })
    await open(page, 'Teo Textos')
    const list = article(page, 'Quero:')
    await expect
      .poll(() => list.getByRole('listitem').allTextContents())
      .toEqual(['pão', 'leite'])
    await list.getByRole('blockquote').getByText('citado').waitFor()
    expect(
      await list
        .getByRole('link')
        .evaluateAll((all) => all.map((one) => one.getAttribute('href'))),
    ).toEqual(['tel:11987654321', 'mailto:teo@loja.com.br'])
    expect(
      await article(page, '👍')
        .getByText('👍')
        .evaluate((one) => parseFloat(getComputedStyle(one).fontSize)),
    ).toBeGreaterThan(36)
    const long = article(page, 'Item 0.')
    expect((await long.boundingBox())?.height).toBeLessThan(330)
    await long.getByRole('button', { name: 'Read more' }).click()
    await expect
      .poll(async () => (await long.boundingBox())?.height)
      .toBeGreaterThan(780)
    await axe(page, 'texts')
  })

  it('shows albums, and zooms and downloads in the viewer', async () => {
    const write = writer('+5511955559004', 'Ugo Fotos')
    const wide = await upload('larga.png', png(800, 600))
    const tall = await upload('alta.png', png(300, 1500))
    for (const media_id of [wide, wide, tall, wide, wide, wide])
      await write({ media_id })
    await write({ text: 'uma só' })
    await write({ media_id: tall, text: 'Cupom' })
    await open(page, 'Ugo Fotos')
    const shown = (await article(page, 'Cupom')
      .getByRole('button', { name: 'Open image alta.png' })
      .boundingBox()) ?? { width: 1, height: 9 }
    expect(shown.height / shown.width).toBeCloseTo(4 / 3, 1)
    const album = log(page).getByRole('article', {
      name: /^Ugo Fotos, \d\d:\d\d, 6 photos and videos$/,
    })
    const tiles = album.getByRole('button', { name: /^Open image/ })
    await expect.poll(() => tiles.count()).toBe(4)
    await album.getByText('+2', { exact: true }).click()
    const viewer = dialog(page, 'Media')
    await viewer.getByText('Ugo Fotos').waitFor()
    await viewer
      .getByRole('button', { name: '4 of 7' })
      .and(page.locator('[aria-current]'))
      .waitFor()
    expect(
      await viewer
        .getByRole('link', { name: 'Download' })
        .getAttribute('download'),
    ).toBe('larga.png')
    const image = viewer.getByRole('img', { name: 'larga.png' })
    const width = async () =>
      Math.round((await image.boundingBox())?.width ?? 0)
    await expect.poll(width).toBeGreaterThan(0)
    const whole = await width()
    await page.keyboard.press('+')
    await expect.poll(width).toBe(Math.round(whole * 1.5))
    await page.keyboard.press('0')
    await expect.poll(width).toBe(whole)
    await image.hover()
    await page.mouse.wheel(0, -200)
    await expect.poll(width).toBeGreaterThan(whole)
    await page.keyboard.press('0')
    await image.click({ position: { x: 5, y: 5 } })
    await expect.poll(width).toBeGreaterThan(whole * 2)
    const left = async () => (await image.boundingBox())?.x ?? 0
    const before = await left()
    await page.mouse.move(640, 300)
    await page.mouse.down()
    await page.mouse.move(600, 300, { steps: 4 })
    await page.mouse.up()
    await expect.poll(left).toBeLessThan(before - 20)
    await axe(page, 'viewer')
    await page.keyboard.press('ArrowLeft')
    await viewer.getByRole('img', { name: 'alta.png' }).waitFor()
    await viewer.getByRole('button', { name: 'Next', exact: true }).click()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await viewer.getByText('Cupom').waitFor()
    await page.keyboard.press('Escape')
    await viewer.waitFor({ state: 'detached' })
  })

  it('shows the waveform of a voice message and the first frame of a video', async () => {
    const file = await page.evaluate(async () => {
      const canvas = document.createElement('canvas')
      const type = 'video/mp4;codecs=avc1'
      const recorder = new MediaRecorder(canvas.captureStream(25), {
        mimeType: MediaRecorder.isTypeSupported(type) ? type : 'video/mp4',
      })
      const recorded = new Promise<Blob>((done) => {
        recorder.ondataavailable = ({ data }) => data.size > 0 && done(data)
      })
      const drawing = setInterval(
        () => canvas.getContext('2d')?.fillRect(0, 0, 300, 150),
        20,
      )
      recorder.start(300)
      const video = await recorded
      clearInterval(drawing)
      recorder.stop()
      return [...new Uint8Array(await video.arrayBuffer())]
    })
    const write = writer('+5511955559005', 'Vera Vídeos')
    await write({
      media_id: await upload('filme.mp4', new Uint8Array(file)),
    })
    await open(page, 'Vera Vídeos')
    await log(page)
      .getByRole('button', { name: 'Open video filme.mp4' })
      .click()
    await dialog(page, 'Media')
      .locator('video[controls][aria-label="filme.mp4"]')
      .waitFor()
    await page.keyboard.press('Escape')
    await open(page, 'Lia Monteiro')
    const voice = log(page)
      .getByRole('article')
      .filter({ has: page.getByRole('slider', { name: 'Position' }) })
    await voice.locator('[data-waveform]').waitFor()
    const slider = voice.getByRole('slider', { name: 'Position' })
    const { width, height } = (await slider.boundingBox()) ?? {
      width: 0,
      height: 0,
    }
    await slider.click({ position: { x: width * 0.8, y: height / 2 } })
    const at = async () => Number(await slider.inputValue())
    const reached = await at()
    expect(reached).toBeGreaterThan(1)
    await page.keyboard.press('ArrowLeft')
    expect(await at()).toBeCloseTo(reached - 1, 1)
  })

  it('tells when a message was read, and forwards text and files', async () => {
    const write = writer('+5511955559006', 'Wanda Info')
    const media_id = await upload('planta.png', png(40, 40))
    const { conversation } = await write({ text: 'Segue a planta' })
    await write({ media_id, text: 'Planta da casa' })
    await writer('+5511955559007', 'Xico Destino')({ text: 'Oi' })
    await open(page, 'Wanda Info')
    await message(page).fill('Recebido, Wanda')
    await message(page).press('Enter')
    await article(page, 'Recebido, Wanda')
      .getByRole('img', { name: 'Sent' })
      .waitFor()
    await act(page, 'Recebido, Wanda', 'Message info')
    const info = dialog(page, 'Message info')
    await expect
      .poll(() => info.locator('dl > div').allTextContents())
      .toEqual([
        expect.stringMatching(/^Sent .*Today, \d\d:\d\d$/),
        expect.stringMatching(/^Delivered .*Not yet$/),
        expect.stringMatching(/^Read .*Not yet$/),
        expect.stringMatching(/^Sent by .*You$/),
        expect.stringMatching(/^Number /),
      ])
    await page.keyboard.press('Escape')
    const { data } = (await desk.call(
      'GET',
      `/conversations/${conversation}/messages`,
    )) as unknown as { data: Sent[] }
    for (const status of ['delivered', 'read'])
      await desk.call('POST', `/channels/${desk.company.channel}/simulate`, {
        external_id: data[0]?.external_id,
        status,
      })
    await article(page, 'Recebido, Wanda')
      .getByRole('img', { name: 'Read' })
      .waitFor()
    await act(page, 'Recebido, Wanda', 'Message info')
    await info.getByText(/^Read/).first().waitFor()
    await expect.poll(() => info.getByText('Not yet').count()).toBe(0)
    await axe(page, 'message info')
    await page.keyboard.press('Escape')
    await act(page, 'Planta da casa', 'Forward')
    const forward = dialog(page, 'Forward message')
    await forward.getByRole('searchbox').pressSequentially('xico')
    await forward.getByRole('checkbox', { name: /^Xico Destino/ }).check()
    await axe(page, 'forward')
    await forward.getByRole('button', { name: 'Forward', exact: true }).click()
    await forward.waitFor({ state: 'detached' })
    await open(page, 'Xico Destino')
    await article(page, 'Planta da casa')
      .getByRole('button', { name: 'Open image planta.png' })
      .waitFor()
    await log(page)
      .getByRole('article', { name: /^You, \d\d:\d\d, Sent$/ })
      .waitFor()
  })

  it('collapses events and shows them in order', async () => {
    const write = writer('+5511955559008', 'Yara Eventos')
    const { conversation } = await write({ text: 'Abre o caso' })
    for (const user of [desk.colleague, desk.company.user, desk.colleague])
      await transfer(conversation, user)
    await write({ text: 'E agora?' })
    await transfer(conversation, desk.company.user)
    await desk.call('POST', `/conversations/${conversation}/attendance/close`, {
      reason: 'Resolvido',
    })
    await page.goto(`${desk.url}/inbox/closed/${conversation}`)
    const unfold = log(page).getByRole('button', { name: '3 events' })
    await unfold.waitFor()
    const order = async () =>
      (await log(page).innerText()).replace(/ATD-\d+/g, 'ATD')
    await expect
      .poll(() => order())
      .toMatch(
        /Case ATD opened[^]*Abre o caso[^]*3 events[^]*E agora\?[^]*closed case ATD: Resolvido · \d\d:\d\d\s*$/,
      )
    const transfers = log(page).getByText(/transferred to Bruno Tavares/)
    await expect.poll(() => transfers.count()).toBe(1)
    await unfold.press('Enter')
    await expect.poll(() => transfers.count()).toBe(2)
    await axe(page, 'events')
  })

  it('keeps the newest message in view and counts matches from one', async () => {
    const write = writer('+5511955559009', 'Zeca Final')
    for (let n = 0; n < 20; n++) await write({ text: `Bolo ${n}` })
    await open(page, 'Zeca Final')
    await page.getByRole('button', { name: /^Jump to newest/ }).click()
    await expect.poll(() => below(page)).toBe(0)
    await message(page).fill('Um\n'.repeat(8))
    await expect.poll(() => below(page)).toBe(0)
    await page.setViewportSize({ width: 1280, height: 560 })
    await expect.poll(() => below(page)).toBe(0)
    await write({ media_id: await upload('fim.png', png(600, 600)) })
    await log(page)
      .getByRole('button', { name: 'Open image fim.png' })
      .waitFor()
    await expect.poll(() => below(page)).toBe(0)
    await message(page).fill('')
    await page.setViewportSize({ width: 1280, height: 720 })
    await expect.poll(() => below(page)).toBe(0)
    await page.keyboard.press('Control+f')
    const find = page.getByRole('searchbox', { name: 'Search in conversation' })
    await find.pressSequentially('bolo 1')
    const count = page.getByRole('search').getByRole('status')
    await expect.poll(() => count.textContent()).toBe('1/11')
    await find.press('Enter')
    await expect.poll(() => count.textContent()).toBe('2/11')
    await page.keyboard.press('Escape')
  })

  it('fits a phone in the dark', async () => {
    const { page: phone, context } = await desk.page({
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
      colorScheme: 'dark',
    })
    await desk.signIn(phone)
    for (const name of ['Rita Cards', 'Ugo Fotos']) {
      await open(phone, name)
      await log(phone).getByRole('article').first().waitFor()
      await axe(phone, name)
      expect(
        await log(phone).evaluate((one) => one.scrollWidth <= one.clientWidth),
      ).toBe(true)
      await phone.goBack()
    }
    const { data } = (await desk.call(
      'GET',
      '/conversations?q=Zeca%20Final',
    )) as { data: { id: string }[] }
    await desk.call('POST', `/conversations/${data[0]?.id}/read`)
    await open(phone, 'Zeca Final')
    await log(phone)
      .getByRole('button', { name: 'Open image fim.png' })
      .waitFor()
    await expect.poll(() => below(phone)).toBe(0)
    await phone.setViewportSize({ width: 390, height: 500 }) // the keyboard
    await expect.poll(() => below(phone)).toBe(0)
    await context.close()
  })
})
