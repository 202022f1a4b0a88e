import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  alert,
  card,
  cardPath,
  drag,
  meanwhile,
  newBoard,
  stage,
  titles,
  visit,
} from './boards'
import { Desk, postgresOnly } from './desk'
import { axe, dialog, hasFocus } from './parts'

describe.each(postgresOnly)('on %s', (engine) => {
  let desk: Desk
  beforeAll(async () => {
    desk = await Desk.start({ engine })
  })
  afterAll(() => desk.stop())
  afterEach(async () => expect(await desk.problemsOf()).toEqual([]))

  it('creates a board with cards and edits, archives, restores and deletes them', async () => {
    const { page } = await desk.page({}, /409/)
    await desk.signIn(page)
    await page
      .getByRole('navigation', { name: 'Main' })
      .getByRole('link', { name: 'Boards' })
      .click()
    await page.getByRole('button', { name: 'New board' }).click()
    await dialog(page, 'New board')
      .getByRole('textbox', { name: 'Name' })
      .fill('Festas')
    await dialog(page, 'New board')
      .getByRole('button', { name: 'Create board' })
      .click()
    await page.getByRole('tab', { name: 'Festas', selected: true }).waitFor()
    await page.getByRole('region', { name: 'To do, 0 cards' }).waitFor()

    await page.getByRole('button', { name: 'New card' }).click()
    const form = dialog(page, 'New card')
    await form.getByRole('textbox', { name: 'Title' }).fill('Bolo de casamento')
    await form.getByRole('combobox', { name: 'Priority' }).selectOption('high')
    await form
      .getByRole('textbox', { name: 'Description' })
      .fill('Três andares')
    await form.getByRole('button', { name: 'Create card' }).click()
    await page.getByRole('region', { name: 'To do, 1 card' }).waitFor()
    await card(page, 'Bolo de casamento').click()
    const open = dialog(page, 'Card')
    await expect
      .poll(() =>
        open.getByRole('textbox', { name: 'Description' }).inputValue(),
      )
      .toBe('Três andares')
    await open.getByRole('textbox', { name: 'Title' }).fill('Bolo de bodas')
    await open.getByLabel('Due').fill('2027-01-09T15:30')
    await open
      .getByRole('combobox', { name: 'Person' })
      .selectOption({ label: 'Bruno Tavares' })
    await open.getByRole('combobox', { name: 'Contact' }).fill('Helena')
    await page.getByRole('option', { name: 'Helena Duarte' }).click()
    await open.getByRole('combobox', { name: 'Conversation' }).click()
    await page.getByRole('option', { name: 'Helena Duarte, Loja' }).click()
    await open.getByRole('button', { name: 'Save' }).click()
    await open.waitFor({ state: 'detached' })
    await card(page, 'Bolo de bodas').click()
    await expect
      .poll(() => open.getByLabel('Due').inputValue())
      .toBe('2027-01-09T15:30')
    await expect
      .poll(() => open.getByRole('combobox', { name: 'Contact' }).inputValue())
      .toBe('Helena Duarte')
    await expect
      .poll(() =>
        open.getByRole('combobox', { name: 'Conversation' }).inputValue(),
      )
      .toBe('Helena Duarte, Loja')
    await open.getByRole('link', { name: 'Open conversation' }).waitFor()
    // Unsaved edits are kept.
    await open
      .getByRole('textbox', { name: 'Title' })
      .fill('Bolo de bodas de prata')
    await open.getByRole('button', { name: 'Archive' }).click()
    await page.getByRole('region', { name: 'To do, 0 cards' }).waitFor()

    await page.getByRole('button', { name: 'Board actions' }).click()
    await page.getByRole('menuitem', { name: 'Archived cards' }).click()
    await dialog(page, 'Archived cards')
      .getByRole('button', { name: 'Restore Bolo de bodas de prata' })
      .click()
    await dialog(page, 'Archived cards')
      .getByText('No archived cards.')
      .waitFor()
    await dialog(page, 'Archived cards')
      .getByRole('button', { name: 'Dismiss' })
      .click()
    await card(page, 'Bolo de bodas de prata').click()
    const remove = async () => {
      await open.getByRole('button', { name: 'Delete card' }).click()
      await page
        .getByRole('alertdialog', { name: 'Delete this card?' })
        .getByRole('button', { name: 'Delete card' })
        .click()
    }
    const path = await cardPath(page)
    const { version } = await desk.call('GET', path)
    await meanwhile(page, 'DELETE', path, () =>
      desk.call('PATCH', path, { description: 'Cinco andares', version }),
    )
    await remove()
    await page
      .getByText(
        'A colleague changed this at the same time. Review it and try again.',
      )
      .waitFor()
    await expect
      .poll(() =>
        open.getByRole('textbox', { name: 'Description' }).inputValue(),
      )
      .toBe('Cinco andares')
    await remove()
    await page.getByRole('region', { name: 'To do, 0 cards' }).waitFor()
    await expect
      .poll(() => card(page, 'Bolo de bodas de prata').count())
      .toBe(0)
  })

  it('edits stages and boards in place', async () => {
    const board = await newBoard(desk, 'Reformas', ['Pintura'])
    const { page } = await desk.page({}, /409/)
    await desk.signIn(page)
    await visit(page, 'Reformas')
    const menu = async (stageName: string, item: string) => {
      await page
        .getByRole('button', { name: `Actions for ${stageName}` })
        .click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    await page.getByRole('button', { name: 'Add stage' }).click()
    await page.getByRole('textbox', { name: 'Stage name' }).fill('Orçamento')
    await page.keyboard.press('Enter')
    await stage(page, 'Orçamento').waitFor()
    await menu('Orçamento', 'Move left')
    const order = () =>
      page.getByRole('heading', { level: 2 }).allTextContents()
    await expect.poll(order).toEqual(['New', 'Doing', 'Orçamento', 'Won'])
    await menu('Orçamento', 'Rename')
    await hasFocus(page.getByRole('textbox', { name: 'Stage name' }))
    await page.getByRole('textbox', { name: 'Stage name' }).fill('Cotação')
    await page.keyboard.press('Enter')
    await expect.poll(order).toEqual(['New', 'Doing', 'Cotação', 'Won'])
    await desk.call(
      'PATCH',
      `/kanban/boards/${board.id}/stages/${board.stages.Doing ?? ''}`,
      { name: 'Fazendo', position: 0 },
    )
    await expect.poll(order).toEqual(['Fazendo', 'New', 'Cotação', 'Won'])
    await desk.call(
      'PATCH',
      `/kanban/boards/${board.id}/stages/${board.stages.Doing ?? ''}`,
      { name: 'Doing', position: 1 },
    )
    await expect.poll(order).toEqual(['New', 'Doing', 'Cotação', 'Won'])
    await menu('Cotação', 'Lost')
    await menu('New', 'Delete stage')
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: 'Delete stage' })
      .click()
    await page
      .getByRole('alert')
      .filter({ hasText: 'This stage still has cards.' })
      .waitFor()
    await menu('Cotação', 'Delete stage')
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: 'Delete stage' })
      .click()
    await expect.poll(order).toEqual(['New', 'Doing', 'Won'])

    await page.getByRole('button', { name: 'Board actions' }).click()
    await page.getByRole('menuitem', { name: 'Rename board' }).click()
    await dialog(page, 'Rename board')
      .getByRole('textbox', { name: 'Name' })
      .fill('Obras')
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: 'Obras', selected: true }).waitFor()
    await page.getByRole('button', { name: 'Board actions' }).click()
    await page.getByRole('menuitem', { name: 'Archive board' }).click()
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: 'Archive board' })
      .click()
    await page
      .getByRole('tab', { name: 'Obras' })
      .waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Board actions' }).click()
    await page.getByRole('menuitem', { name: 'Archived boards' }).click()
    await dialog(page, 'Archived boards')
      .getByRole('button', { name: 'Restore Obras' })
      .click()
    await page.getByRole('tab', { name: 'Obras', selected: true }).waitFor()
    await card(stage(page, 'New'), 'Pintura').waitFor()
  })

  it('moves cards by mouse, keyboard and menu, live for a colleague', async () => {
    await newBoard(desk, 'Entregas', ['um', 'dois', 'três'])
    const { page } = await desk.page()
    const other = await desk.page()
    await desk.signIn(page)
    await desk.signInAs(other.page, desk.colleague)
    await visit(page, 'Entregas')
    await visit(other.page, 'Entregas')
    await card(stage(other.page, 'New'), 'um').waitFor()
    await drag(page, card(page, 'um'), stage(page, 'Doing'))
    await page.getByRole('region', { name: 'Doing, 1 card' }).waitFor()
    await page.getByRole('region', { name: 'New, 2 cards' }).waitFor()
    await card(stage(other.page, 'Doing'), 'um').waitFor()
    await other.page.getByRole('region', { name: 'New, 2 cards' }).waitFor()
    await drag(page, card(page, 'três'), stage(page, 'New'), 'start')
    await expect.poll(() => titles(page, 'New')).toEqual(['três', 'dois'])
    await expect.poll(() => titles(other.page, 'New')).toEqual(['três', 'dois'])
    const live = page.locator('[aria-live=polite]')
    /** focused returns the title and stage of the focused card. */
    const focused = () =>
      page.evaluate(() => [
        document.activeElement?.firstElementChild?.textContent,
        document.activeElement?.closest('[data-stage]')?.querySelector('h2')
          ?.textContent,
      ])
    await expect.poll(() => live.textContent()).toBe('três moved to New.')
    await card(page, 'dois').focus()
    await page.keyboard.press('Space')
    await expect
      .poll(() => live.textContent())
      .toBe('dois picked up. New, position 2 of 2.')
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => live.textContent()).toBe('Doing, position 2 of 2.')
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => live.textContent()).toBe('Doing, position 1 of 2.')
    await page.keyboard.press('Space')
    await expect.poll(() => live.textContent()).toBe('dois moved to Doing.')
    await expect.poll(focused).toEqual(['dois', 'Doing'])
    await expect.poll(() => titles(page, 'Doing')).toEqual(['dois', 'um'])
    await expect.poll(() => titles(other.page, 'Doing')).toEqual(['dois', 'um'])
    await card(page, 'um').focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Escape')
    await expect.poll(() => live.textContent()).toBe('um is back where it was.')
    await expect.poll(() => titles(page, 'Doing')).toEqual(['dois', 'um'])

    await stage(page, 'Doing')
      .getByRole('listitem')
      .filter({ has: card(page, 'dois') })
      .getByRole('button', { name: 'Move to...' })
      .click()
    await page.getByRole('menuitem', { name: 'Won' }).click()
    await card(stage(page, 'Won'), 'dois').waitFor()
    await expect.poll(focused).toEqual(['dois', 'Won'])
    await card(stage(other.page, 'Won'), 'dois').waitFor()
    await page.reload()
    await card(stage(page, 'Won'), 'dois').waitFor()
  })

  it('shows who moved a card in the meantime and moves it anyway on request', async () => {
    const board = await newBoard(desk, 'Ao mesmo tempo', [
      'disputado',
      'editado',
      'guardado',
    ])
    const { page } = await desk.page({}, /409/)
    const other = await desk.page()
    await desk.signIn(page)
    await desk.signInAs(other.page, desk.colleague)
    const colleague = String(
      (await desk
        .call('GET', `/team`)
        .then(
          (team) =>
            (team.data as { id: string; name: string }[]).find(
              (one) => one.id === desk.colleague,
            )?.name,
        )) ?? '',
    )
    await visit(page, 'Ao mesmo tempo')
    await visit(other.page, 'Ao mesmo tempo')
    await card(stage(page, 'New'), 'disputado').waitFor()

    // Both move it at the same time: this user's request is based on an older version.
    let release: () => void = () => undefined
    const held = new Promise<void>((resolve) => (release = resolve))
    await page.route(
      `**/kanban/cards/${board.cards.disputado ?? ''}/move`,
      async (route) => {
        await held
        await route.continue()
      },
      { times: 1 },
    )
    await drag(page, card(page, 'disputado'), stage(page, 'Won'))
    await card(stage(page, 'Won'), 'disputado').waitFor()
    await drag(
      other.page,
      card(other.page, 'disputado'),
      stage(other.page, 'Doing'),
    )
    await other.page.getByRole('region', { name: 'Doing, 1 card' }).waitFor()
    release()
    await alert(page)
      .getByText(`${colleague} moved this card to Doing.`)
      .waitFor()
    await card(stage(page, 'Doing'), 'disputado').waitFor()
    await expect.poll(() => card(page, 'disputado').count()).toBe(1)
    await axe(page, 'a move that came too late')
    await alert(page).getByRole('button', { name: 'Move anyway' }).click()
    await card(stage(page, 'Won'), 'disputado').waitFor()
    await card(stage(other.page, 'Won'), 'disputado').waitFor()
    await expect
      .poll(() =>
        desk.call('GET', `/kanban/cards/${board.cards.disputado ?? ''}`),
      )
      .toMatchObject({ stage_id: board.stages.Won, version: 3 })

    // A colleague's change of another field does not stop a move.
    const edited = `/kanban/cards/${board.cards.editado ?? ''}`
    await meanwhile(page, 'POST', `${edited}/move`, () =>
      desk.call('PATCH', edited, { title: 'editado duas vezes', version: 1 }),
    )
    await drag(page, card(page, 'editado'), stage(page, 'Doing'))
    await card(stage(page, 'Doing'), 'editado duas vezes').waitFor()
    await expect
      .poll(() =>
        page.getByRole('alert').filter({ hasText: 'this card' }).count(),
      )
      .toBe(0)
    await expect
      .poll(() => desk.call('GET', edited))
      .toMatchObject({
        stage_id: board.stages.Doing,
        title: 'editado duas vezes',
        version: 3,
      })

    const kept = `/kanban/cards/${board.cards.guardado ?? ''}`
    await meanwhile(page, 'POST', `${kept}/move`, () =>
      desk.call('PATCH', kept, { status: 'archived', version: 1 }),
    )
    await drag(page, card(page, 'guardado'), stage(page, 'Doing'))
    await alert(page).getByText('This card was archived.').waitFor()
    await expect.poll(() => card(page, 'guardado').count()).toBe(0)
    await alert(page).getByRole('button', { name: 'Move anyway' }).click()
    await card(stage(page, 'Doing'), 'guardado').waitFor()
    await expect
      .poll(() => desk.call('GET', kept))
      .toMatchObject({ stage_id: board.stages.Doing, status: 'open' })
  })

  it('shows conflicting changes to a card field by field', async () => {
    const board = await newBoard(desk, 'A quatro mãos', ['convite'])
    const path = `/kanban/cards/${board.cards.convite ?? ''}`
    const { page } = await desk.page({}, /409/)
    await desk.signIn(page)
    await visit(page, 'A quatro mãos')
    await card(page, 'convite').click()
    const open = dialog(page, 'Card')
    await open.getByRole('textbox', { name: 'Title' }).fill('convite azul')
    await open
      .getByRole('combobox', { name: 'Priority' })
      .selectOption('urgent')
    await desk.call('PATCH', path, {
      title: 'convite verde',
      description: 'papel grosso',
      version: 1,
    })
    const changed = open.getByRole('alert', { name: 'This card changed' })
    await changed.getByRole('group', { name: 'Title' }).waitFor()
    await expect.poll(() => changed.getByRole('group').count()).toBe(1)
    await changed.getByText('convite azul').waitFor()
    await changed.getByText('convite verde').waitFor()
    await expect
      .poll(() =>
        open.getByRole('textbox', { name: 'Description' }).inputValue(),
      )
      .toBe('papel grosso')
    await expect
      .poll(() => open.getByRole('button', { name: 'Save' }).isDisabled())
      .toBe(true)
    await axe(page, 'a card that changed')
    await changed.getByRole('button', { name: 'Keep yours' }).click()
    await open.getByRole('button', { name: 'Save' }).click()
    await open.waitFor({ state: 'detached' })
    await card(page, 'convite azul').waitFor()
    await expect
      .poll(() => desk.call('GET', path))
      .toMatchObject({
        title: 'convite azul',
        description: 'papel grosso',
        priority: 'urgent',
      })
  })

  it('filters cards and keeps the filters in the URL', async () => {
    const { page } = await desk.page()
    await desk.signIn(page)
    await visit(page, 'Orders')
    await card(page, 'Bolo de 20 pessoas').waitFor()
    await page
      .getByRole('combobox', { name: 'Priority' })
      .selectOption('urgent')
    await card(page, 'Bolo de 20 pessoas').waitFor({ state: 'detached' })
    await card(stage(page, 'Doing'), 'Repor bolo que chegou virado').waitFor()
    await page.reload()
    await card(stage(page, 'Doing'), 'Repor bolo que chegou virado').waitFor()
    await expect.poll(() => card(page, 'Bolo de 20 pessoas').count()).toBe(0)
    await page.getByRole('button', { name: 'Clear search and filters' }).click()
    await page.getByRole('searchbox', { name: 'Search cards' }).fill('salgados')
    await card(page, 'Bolo de 20 pessoas').waitFor({ state: 'detached' })
    await card(page, '100 salgados sortidos').waitFor()
    await page.getByRole('searchbox', { name: 'Search cards' }).fill('')
    await page.getByRole('combobox', { name: 'Due' }).selectOption('overdue')
    await card(page, '100 salgados sortidos').waitFor({ state: 'detached' })
    await card(stage(page, 'Doing'), 'Estorno do cartão').waitFor()
  })

  it('loads a long column page by page and counts all of it', async () => {
    const board = await newBoard(desk, 'Longo')
    for (let from = 0; from < 70; from += 10) {
      await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          desk.call('POST', '/kanban/cards', {
            board_id: board.id,
            title: `Tarefa ${from + index}`,
          }),
        ),
      )
    }
    const { page } = await desk.page()
    await desk.signIn(page)
    await visit(page, 'Longo')
    const region = page.getByRole('region', { name: 'New, 70 cards' })
    await region.waitFor()
    await expect
      .poll(async () => {
        await region.getByRole('listitem').last().scrollIntoViewIfNeeded()
        return region.getByRole('listitem').count()
      })
      .toBe(70)
  })

  it('asks before closing a case when its card is moved to Done', async () => {
    const { conversation } = (await desk.customer(
      '+5511955551701',
      'Olga Final',
      'Oi',
    )) as { conversation: string }
    const attendance = () =>
      desk
        .call('GET', `/conversations/${conversation}`)
        .then((one) => one.attendance)
    const { page } = await desk.page()
    await desk.signIn(page)
    await visit(page, 'Cases')
    const name = /^Olga Final · ATD-/
    await stage(page, 'Waiting').getByRole('button', { name }).waitFor()
    const done = async () => {
      await stage(page, 'Waiting').getByRole('button', { name }).focus()
      await page.keyboard.press('Space')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('Space')
      await dialog(page, 'Close case')
        .getByText(/closes Olga Final’s case ATD-\d+/)
        .waitFor()
    }
    await done()
    await dialog(page, 'Close case')
      .getByRole('button', { name: 'Cancel' })
      .click()
    await dialog(page, 'Close case').waitFor({ state: 'detached' })
    await stage(page, 'Waiting').getByRole('button', { name }).waitFor()
    expect(await attendance()).not.toBeNull()
    await done()
    await dialog(page, 'Close case')
      .getByRole('textbox', { name: 'Reason' })
      .fill('Paid')
    await page.keyboard.press('Enter')
    await dialog(page, 'Close case').waitFor({ state: 'detached' })
    await stage(page, 'Waiting')
      .getByRole('button', { name })
      .waitFor({ state: 'detached' })
    await expect.poll(() => attendance()).toBeNull()
    const cards = (await desk.call(
      'GET',
      `/kanban/cards?status=all&conversation=${conversation}`,
    )) as { data: { status: string }[] }
    expect(cards.data.map((one) => one.status)).toEqual(['completed'])
    const { data } = (await desk.call(
      'GET',
      `/attendances?conversation=${conversation}`,
    )) as { data: { close_reason: string }[] }
    expect(data.map((one) => one.close_reason)).toEqual(['Paid'])
  })

  it('shows open cases on the Cases board', async () => {
    const { page } = await desk.page()
    await desk.signIn(page)
    await visit(page, 'Cases')
    await stage(page, 'Waiting').waitFor()
    await expect
      .poll(() =>
        page
          .getByRole('button', { name: 'Add stage' })
          .or(page.getByRole('button', { name: 'New card' }))
          .count(),
      )
      .toBe(0)
    await desk.customer('+5511955552001', 'Noel Pires', 'Oi')
    const title = stage(page, 'Waiting').getByRole('button', {
      name: /^Noel Pires · ATD-/,
    })
    await title.scrollIntoViewIfNeeded()
    await title.click()
    await dialog(page, 'Card')
      .getByRole('link', { name: 'Open conversation' })
      .click()
    await page.getByRole('button', { name: 'Assign to me' }).click()
    await visit(page, 'Cases')
    await stage(page, 'In progress')
      .getByRole('button', { name: /^Noel Pires · ATD-/ })
      .waitFor()
  })
})
