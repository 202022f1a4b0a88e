import { describe, expect, it } from 'vitest'
import { laterContent } from './later'
import { written } from './written'

describe('what is written', () => {
  const files = [
    { media: 'm', caption: ' the menu ' },
    { media: 'n', caption: ' ' },
  ]

  it('has the name in front of the text and of captions where the person signs, and of nothing else', () => {
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

  it('has no name in front of a caption that would be too long with it', () => {
    const [fits, long] = ['a'.repeat(1017), 'a'.repeat(1018)]
    expect(
      written('', [{ caption: fits }, { caption: long }], 'Ana').files,
    ).toEqual([{ caption: `*Ana:*\n${fits}` }, { caption: long }])
  })

  it('is signed once', () => {
    expect(written('*Ana:*\noi', [], 'Ana').text).toBe('*Ana:*\noi')
  })

  it('is signed too when it is sent later', () => {
    const sent = written('', files.slice(0, 1), 'Ana')
    expect(laterContent(sent.text, sent.files)).toEqual({
      media_id: 'm',
      text: '*Ana:*\nthe menu',
    })
  })
})
