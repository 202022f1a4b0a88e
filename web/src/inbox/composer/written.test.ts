import { describe, expect, it } from 'vitest'
import { laterContent } from './later'
import { written } from './written'

describe('the composed message', () => {
  const files = [
    { media: 'm', type: 'image/png', caption: ' the menu ' },
    { media: 'n', type: 'audio/ogg', caption: ' ' },
  ]

  it('starts texts and captions with the name if the user signs', () => {
    expect(written(' oi ', files, 'Ana')).toEqual({
      text: '*Ana:*\noi',
      files: [
        { media: 'm', type: 'image/png', caption: '*Ana:*\nthe menu' },
        { media: 'n', type: 'audio/ogg', caption: '' },
      ],
    })
    expect(written('', [], 'Ana')).toEqual({ text: '', files: [] })
    expect(written(' oi ', files, null)).toEqual({
      text: 'oi',
      files: [
        { media: 'm', type: 'image/png', caption: 'the menu' },
        { media: 'n', type: 'audio/ogg', caption: '' },
      ],
    })
  })

  it('leaves out the name if the caption would get too long', () => {
    const [fits, long] = ['a'.repeat(1017), 'a'.repeat(1018)]
    const type = 'image/png'
    expect(
      written(
        '',
        [
          { type, caption: fits },
          { type, caption: long },
        ],
        'Ana',
      ).files,
    ).toEqual([
      { type, caption: `*Ana:*\n${fits}` },
      { type, caption: long },
    ])
  })

  it('is the caption of the last file that can have one', () => {
    const of = (...types: string[]) =>
      types.map((type) => ({ type, caption: '' }))
    const captions = (
      text: string,
      sent: { type: string; caption: string }[],
    ) => {
      const { text: rest, files } = written(text, sent, null)
      return [...files.map((file) => file.caption), rest]
    }
    expect(captions('oi', of('image/png', 'application/pdf'))).toEqual([
      '',
      'oi',
      '',
    ])
    expect(captions('oi', of('video/mp4', 'audio/ogg'))).toEqual(['oi', '', ''])
    expect(captions('oi', of('image/webp'))).toEqual(['', 'oi'])
    expect(captions('oi', [{ type: 'image/png', caption: 'own' }])).toEqual([
      'own',
      'oi',
    ])
    const long = 'a'.repeat(1025)
    expect(captions(long, of('image/png'))).toEqual(['', long])
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
