import { describe, expect, it } from 'vitest'
import { laterContent } from './later'
import { written } from './written'

describe('the composed message', () => {
  const files = [
    { media: 'm', caption: ' the menu ' },
    { media: 'n', caption: ' ' },
  ]

  it('starts texts and captions with the name if the user signs', () => {
    expect(written(' oi ', files, 'Ana')).toEqual({
      text: '*Ana:*\noi',
      files: [
        { media: 'm', caption: '*Ana:*\nthe menu' },
        { media: 'n', caption: '' },
      ],
    })
    expect(written('', [], 'Ana')).toEqual({ text: '', files: [] })
    expect(written(' oi ', files, null)).toEqual({
      text: 'oi',
      files: [
        { media: 'm', caption: 'the menu' },
        { media: 'n', caption: '' },
      ],
    })
  })

  it('leaves out the name if the caption would get too long', () => {
    const [fits, long] = ['a'.repeat(1017), 'a'.repeat(1018)]
    expect(
      written('', [{ caption: fits }, { caption: long }], 'Ana').files,
    ).toEqual([{ caption: `*Ana:*\n${fits}` }, { caption: long }])
  })

  it('is signed once', () => {
    expect(written('*Ana:*\noi', [], 'Ana').text).toBe('*Ana:*\noi')
  })

  it('is also signed when scheduled', () => {
    const sent = written('', files.slice(0, 1), 'Ana')
    expect(laterContent(sent.text, sent.files)).toEqual({
      media_id: 'm',
      text: '*Ana:*\nthe menu',
    })
  })
})
