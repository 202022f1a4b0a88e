// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { RowCounter } from './csv'

it('counts rows, also with line breaks in cells and across chunks', () => {
  const counter = new RowCounter()
  expect(counter.rows).toBe(0)
  const bytes = new TextEncoder().encode(
    'id,note\r\n1,"a ""b""\r\nc"\r\n2,d\r\n',
  )
  for (const at of bytes.keys()) counter.add(bytes.subarray(at, at + 1))
  expect(counter.rows).toBe(2)
})
