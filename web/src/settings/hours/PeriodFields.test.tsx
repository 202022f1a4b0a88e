// @vitest-environment jsdom
import { MantineProvider } from '@mantine/core'
import i18next from 'i18next'
import { act, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { initReactI18next } from 'react-i18next'
import { beforeAll, expect, it, vi } from 'vitest'
import type { HoursPeriod } from '../../api/types'
import { PeriodFields } from './PeriodFields'

beforeAll(async () => {
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true)
  vi.stubGlobal('matchMedia', () => new EventTarget()) // missing in jsdom
  await i18next.use(initReactI18next).init({ lng: 'en', resources: {} })
})

const fields = () => [...document.querySelectorAll('input')]

/** typeInto enters a text into a time field and blurs it. */
function typeInto(index: number, text: string) {
  const field = fields()[index]
  act(() => field?.focus())
  act(() => {
    Object.getOwnPropertyDescriptor(
      HTMLInputElement.prototype,
      'value',
    )?.set?.call(field, text)
    field?.dispatchEvent(new Event('input', { bubbles: true }))
  })
  act(() => field?.blur())
}

it('keeps invalid text in a time field, but not after another period takes its place', () => {
  let stored: HoursPeriod[] = [
    { from: '08:00', to: '12:00' },
    { from: '13:00', to: '18:00' },
  ]
  function Day() {
    const [periods, setPeriods] = useState(stored)
    stored = periods
    return (
      <PeriodFields
        id="day"
        name="Monday"
        periods={periods}
        problems={[]}
        onChange={setPeriods}
        onRemove={(index) => setPeriods(periods.toSpliced(index, 1))}
      />
    )
  }
  const box = document.body.appendChild(document.createElement('div'))
  const root = createRoot(box)
  act(() =>
    root.render(
      <MantineProvider>
        <Day />
      </MantineProvider>,
    ),
  )

  typeInto(2, '1330')
  expect(stored[1]).toEqual({ from: '13:30', to: '18:00' })
  typeInto(0, '25')
  expect(fields()[0]?.value).toBe('25')
  expect(stored[0]).toEqual({ from: '', to: '12:00' })

  act(() => document.querySelector('button')?.click())
  expect(fields().map((field) => field.value)).toEqual(['13:30', '18:00'])
  act(() => fields()[0]?.focus())
  act(() => fields()[0]?.blur())
  expect(stored).toEqual([{ from: '13:30', to: '18:00' }])
  act(() => root.unmount())
})
