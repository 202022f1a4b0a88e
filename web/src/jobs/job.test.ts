// @vitest-environment jsdom
import { expect, it } from 'vitest'
import { fileOf } from './job'

const at = (time: string) => Date.parse(time)
const end = '2026-11-18T10:00:00Z'

it('a file can be downloaded until it expires', () => {
  const job = { result: { url: '/v1/files/x', expires_at: end } }
  expect(fileOf(job, at('2026-11-18T09:59:59Z'))).toEqual({
    state: 'ready',
    url: '/v1/files/x',
    until: end,
  })
  expect(fileOf(job, at(end)).state).toBe('expired')
  expect(fileOf({ result: { url: null, expires_at: null } }).state).toBe(
    'expired',
  )
})

it('only the person who started a job has the address of its file', () => {
  const job = { result: { url: null, expires_at: end } }
  expect(fileOf(job, at('2026-11-18T09:00:00Z')).state).toBe('notMine')
})

it('a job without a file has no download', () => {
  expect(fileOf({ result: null }).state).toBe('none')
  expect(fileOf({ result: { created: 3 } }).state).toBe('none')
})
