import { expect, it } from 'vitest'
import type { Template } from '../api/types'
import { canReopen, declineOf } from './reopen'

const gap = (component: 'header' | 'body' | 'button') =>
  ({ component, type: 'text', index: 1, name: null, example: null }) as const
const template = (...parameters: Template['parameters']) => ({
  status: 'approved',
  parameters,
})
const button = (type: string, text: string) => ({
  type,
  text,
  url: null,
  phone_number: null,
})

it('accepts approved templates with at most the protocol to fill in', () => {
  expect(canReopen(template())).toBe(true)
  expect(canReopen(template(gap('body')))).toBe(true)
  expect(canReopen(template(gap('body'), gap('body')))).toBe(false)
  expect(canReopen(template(gap('header')))).toBe(false)
  expect(canReopen(template(gap('button')))).toBe(false)
  expect(canReopen({ ...template(), status: 'paused' })).toBe(false)
})

it('takes the last quick reply as the no of the customer', () => {
  const buttons = [
    button('quick_reply', 'Yes'),
    button('quick_reply', 'No'),
    button('url', 'Shop'),
  ]
  expect(declineOf({ buttons })).toBe('No')
  expect(declineOf({ buttons: buttons.slice(2) })).toBeNull()
})
