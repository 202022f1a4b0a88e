import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { plainText, RichText } from './RichText'

const html = (text: string) => renderToStaticMarkup(<RichText text={text} />)

describe('rich text', () => {
  it('escapes HTML', () => {
    expect(html('<img src=x onerror=alert(1)>')).toBe(
      '&lt;img src=x onerror=alert(1)&gt;',
    )
  })

  it('renders WhatsApp formatting', () => {
    expect(html('*a* _b_ ~c~ `d`')).toBe(
      '<strong>a</strong> <em>b</em> <s>c</s> <code>d</code>',
    )
    expect(html('2*3*4 snake_case_name')).toBe('2*3*4 snake_case_name')
    expect(plainText('*Ana:*\nOi')).toBe('Ana: Oi')
  })

  it('supports nested marks, code blocks and literal signs', () => {
    expect(html('*a _b_ c*')).toBe('<strong>a <em>b</em> c</strong>')
    expect(html('```*x*\ny```!')).toBe('<code>*x*\ny</code>!')
    expect(html('* a* *b *c* `` ` ```d')).toBe(
      '* a* *b <strong>c</strong> `` ` ```d',
    )
    expect(html('*https://example.com/a* _b_')).toContain(
      '</a></strong> <em>b</em>',
    )
    expect(html('https://example.com/_a_ *b*')).toContain(
      '/_a_</a> <strong>b</strong>',
    )
    expect(plainText('*a _b_* https://example.com/_c_')).toBe(
      'a b https://example.com/_c_',
    )
  })

  it('parses many marks in one pass and renders the rest as plain text', () => {
    const marked = '*a* '.repeat(1024)
    expect(html(marked)).toBe(
      `${'<strong>a</strong> '.repeat(200)}${'*a* '.repeat(824)}`,
    )
    // Long enough that a quadratic parser would not finish in time.
    for (const text of [
      '*a* ',
      '*a ',
      '```a ',
      '*_~',
      'http://. ',
      '`',
      '*a _b ~c ',
    ])
      expect(plainText(text.repeat(60_000))).not.toBe('')
  })

  it('links only http and https URLs', () => {
    expect(html('see https://example.com/a_b_c. ok')).toBe(
      'see <a href="https://example.com/a_b_c" target="_blank" rel="noopener noreferrer">https://example.com/a_b_c</a>. ok',
    )
    expect(html('javascript:alert(1)')).toBe('javascript:alert(1)')
  })
})
