import { describe, expect, it } from 'vitest'
import { setTimeZone } from '../../ui/format'
import { laterContent, laterPresets, laterProblem } from './later'

describe('scheduled messages', () => {
  it("have presets in the company's time zone", () => {
    setTimeZone('America/Sao_Paulo')
    const saturday = new Date('2026-11-14T23:30:00Z')
    expect(laterPresets(saturday)).toEqual([
      { id: 'hour', local: '2026-11-14T21:30' },
      { id: 'tomorrow', local: '2026-11-15T09:00' },
      { id: 'monday', local: '2026-11-16T09:00' },
    ])
    // On a Sunday tomorrow is Monday.
    expect(
      laterPresets(new Date('2026-11-15T12:00:00Z')).map((one) => one.id),
    ).toEqual(['hour', 'tomorrow'])
    expect(laterPresets(new Date('2026-11-16T12:00:00Z')).at(-1)).toEqual({
      id: 'monday',
      local: '2026-11-23T09:00',
    })
    expect(laterProblem('2026-11-14T20:30', saturday)).toBe('past')
    expect(laterProblem('2026-11-14T20:31', saturday)).toBeNull()
    expect(laterProblem('2027-02-13T20:30', saturday)).toBe('far')
    setTimeZone(undefined)
  })

  it('consist of one text or one file with its caption', () => {
    expect(laterContent('oi', [])).toEqual({ text: 'oi' })
    expect(laterContent('oi', [{ media: 'm', caption: '' }])).toBeNull()
    expect(laterContent('', [{ media: 'm', caption: '' }])).toEqual({
      media_id: 'm',
    })
    expect(laterContent('', [{ media: 'm', caption: ' c ' }])).toEqual({
      media_id: 'm',
      text: 'c',
    })
    expect(laterContent('oi', [{ media: 'm', caption: 'c' }])).toBeNull()
    expect(
      laterContent('', [
        { media: 'm', caption: '' },
        { media: 'n', caption: '' },
      ]),
    ).toBeNull()
  })
})
