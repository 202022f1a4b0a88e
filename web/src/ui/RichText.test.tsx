import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { emojiCount, MessageText, plainText, RichText } from './RichText'

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
      'a@b ',
      '+1 2 ',
      '(11) 9',
    ])
      expect(plainText(text.repeat(60_000))).not.toBe('')
  })

  it('links only http and https URLs', () => {
    expect(html('see https://example.com/a_b_c. ok')).toBe(
      'see <a href="https://example.com/a_b_c" target="_blank" rel="noopener noreferrer">https://example.com/a_b_c</a>. ok',
    )
    expect(html('javascript:alert(1)')).toBe('javascript:alert(1)')
  })

  it('links e-mail addresses and phone numbers, but no other numbers', () => {
    expect(html('Escreva para joao_silva@loja.com.br, *ok*')).toBe(
      'Escreva para <a href="mailto:joao_silva@loja.com.br">joao_silva@loja.com.br</a>, <strong>ok</strong>',
    )
    expect(html('*a@b.co*')).toBe(
      '<strong><a href="mailto:a@b.co">a@b.co</a></strong>',
    )
    for (const [phone, digits] of [
      ['+55 11 98765-4321', '+5511987654321'],
      ['+1 (415) 555-0100', '+14155550100'],
      ['(11) 98765-4321', '11987654321'],
      ['11 98765-4321', '11987654321'],
      ['(11) 3456-7890', '1134567890'],
    ])
      expect(html(`Ligue ${phone}.`)).toBe(
        `Ligue <a href="tel:${digits}">${phone}</a>.`,
      )
    for (const text of [
      '@ana',
      'a@b',
      '123.456.789-09',
      'R$ 1.200,00 + 12',
      '34191.79001 01043.510047',
      '2+2=4 e 11 90',
      '12345678901 98765',
    ])
      expect(html(text)).toBe(text)
  })

  it('formats lists and quotes as WhatsApp does', () => {
    const message = (text: string) =>
      renderToStaticMarkup(<MessageText text={text} />).replace(
        / class="[^"]*"/g,
        '',
      )
    expect(message('Oi\n- *um*\n- dois\nfim')).toBe(
      'Oi<ul><li><strong>um</strong></li><li>dois</li></ul>fim',
    )
    expect(message('3. c\n4. d')).toBe(
      '<ol start="3"><li>c</li><li>d</li></ol>',
    )
    expect(message('> a\n> _b_\nc')).toBe(
      '<blockquote>a\n<em>b</em></blockquote>c',
    )
    expect(message('```\n- a\n```')).toBe('<code>\n- a\n</code>')
    expect(message('-5 graus\n*a*\n1.5')).toBe(
      '-5 graus\n<strong>a</strong>\n1.5',
    )
    expect(message('- <b>')).toBe('<ul><li>&lt;b&gt;</li></ul>')
  })

  it('recognises messages of up to three emoji', () => {
    expect(['😀', '❤️ 👍🏽', '👨‍👩‍👧🇧🇷1️⃣'].map(emojiCount)).toEqual([1, 2, 3])
    for (const text of ['', '1', 'ok 😀', '😀😀😀😀', '12'])
      expect(emojiCount(text)).toBe(0)
  })
})
