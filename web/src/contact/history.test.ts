import { beforeAll, describe, expect, it } from 'vitest'
import { loadTexts, t } from '../../test/texts'
import type { Assignment } from '../api/types'
import { automaticText, closeReason } from './history'

beforeAll(() => loadTexts('en'))

const ana = { id: 'a', name: 'Ana' }
const chose = (path: string) => ({ code: 'menu_choice', params: { path } })
const entry = (part: Partial<Assignment>): Assignment => ({
  id: '1',
  action: 'handed_back',
  user: null,
  by: null,
  sector: null,
  sector_from: null,
  sector_to: null,
  reason: null,
  cause: null,
  created_at: '',
  ...part,
})

describe('automatic changes of a case', () => {
  it('name the option chosen in the menu and where it led', () => {
    expect(
      automaticText(entry({ sector: 's', cause: chose('Sales') }), 'Sales', t),
    ).toBe('Menu: Sales')
    expect(
      automaticText(
        entry({ sector: 's', cause: chose('Support > Oven') }),
        'oven',
        t,
      ),
    ).toBe('Menu: Support > Oven')
    expect(
      automaticText(entry({ sector: 's', cause: chose('Buy') }), 'Sales', t),
    ).toBe('Menu: Buy, to Sales')
    expect(
      automaticText(
        entry({ action: 'received', user: ana, cause: chose('Talk to Ana') }),
        undefined,
        t,
      ),
    ).toBe('Menu: Talk to Ana, to Ana')
    expect(
      automaticText(
        entry({ cause: { code: 'menu_timeout', params: {} } }),
        undefined,
        t,
      ),
    ).toBe('Menu: timed out, to the queue')
  })

  it('name who received a case, or say that it went back to the queue', () => {
    expect(
      automaticText(
        entry({ action: 'received', user: ana, sector: 's' }),
        'Sales',
        t,
      ),
    ).toBe('Automatically assigned to Ana')
    expect(automaticText(entry({ user: ana, sector: 's' }), 'Sales', t)).toBe(
      'Returned to the queue: no reply in time',
    )
  })

  it('exclude changes made by a person or caused by removing one', () => {
    expect(
      automaticText(entry({ by: ana, cause: chose('Sales') }), undefined, t),
    ).toBeNull()
    expect(
      automaticText(entry({ action: 'took_over', user: ana }), undefined, t),
    ).toBeNull()
    expect(automaticText(entry({}), undefined, t)).toBeNull()
  })

  it('close a case with the reason of the person or the menu', () => {
    expect(
      closeReason(
        {
          close_reason: 'Menu: Nothing more',
          close_cause: chose('Nothing more'),
        },
        t,
      ),
    ).toBe('Menu: Nothing more')
    expect(closeReason({ close_reason: 'solved', close_cause: null }, t)).toBe(
      'solved',
    )
    expect(
      closeReason(
        {
          close_reason: 'automatic',
          close_cause: { code: 'idle', params: {} },
        },
        t,
      ),
    ).toBe('')
  })

  it('close a case with a reason of the company and a note', () => {
    expect(
      closeReason(
        {
          close_reason: null,
          close_cause: null,
          closing: {
            reason: { id: 'r', name: 'Resolved' },
            note: 'Order 12',
            by: 'person',
          },
        },
        t,
      ),
    ).toBe('Resolved – Order 12')
  })
})
