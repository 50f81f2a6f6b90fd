import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { Markdown } from './markdown.tsx';

/** The elements of a text, without their looks. */
function shown(text: string): string {
  const html = renderToStaticMarkup(createElement(Markdown, { text }));
  return html
    .replace(/^<div[^>]*>|<\/div>$/g, '')
    .replace(/ (class|title|target|rel|scope)="[^"]*"/g, '');
}

describe('a text in Markdown', () => {
  it.each([
    ['plain words', '<p>plain words</p>'],
    ['one\n  two\n\nthree', '<p>one\ntwo</p><p>three</p>'],
    ['### 1. Find it ###', '<h3>1. Find it</h3>'],
    ['#hashtag', '<p>#hashtag</p>'],
    ['> quoted\n> on\n\n— me', '<blockquote><p>quoted\non</p></blockquote><p>— me</p>'],
    ['> > deep', '<blockquote><blockquote><p>deep</p></blockquote></blockquote>'],
    ['a\n- b\n- c', '<p>a</p><ul><li><p>b</p></li><li><p>c</p></li></ul>'],
    ['3. c\n4. d', '<ol start="3"><li><p>c</p></li><li><p>d</p></li></ol>'],
    ['- a\n  - b', '<ul><li><p>a</p><ul><li><p>b</p></li></ul></li></ul>'],
    [
      '- **At**\n\n  > said',
      '<ul><li><p><strong>At</strong></p><blockquote><p>said</p></blockquote></li></ul>',
    ],
    ['- a\ngoes on\n\nends', '<ul><li><p>a\ngoes on</p></li></ul><p>ends</p>'],
    ['```sh\nls <dir>\n\n```\nend', '<pre><code>ls &lt;dir&gt;\n</code></pre><p>end</p>'],
    ['```\nnever closed', '<pre><code>never closed</code></pre>'],
    ['a\n\n---\n\nb', '<p>a</p><hr/><p>b</p>'],
    [
      '| Size | Price |\n|---|--:|\n| S | 1 |\n| M |',
      '<table><thead><tr><th>Size</th><th>Price</th></tr></thead><tbody><tr><td>S</td><td>1</td></tr><tr><td>M</td><td></td></tr></tbody></table>',
    ],
    ['a | b', '<p>a | b</p>'],
    ['**so** and *so*, __so__ and _so_', /<strong>so<\/strong> and <em>so<\/em>, <strong>so/],
    ['**all of *it***', '<p><strong>all of <em>it</em></strong></p>'],
    ['2 * 3 * 4, snake_case_name, **open', '<p>2 * 3 * 4, snake_case_name, **open</p>'],
    ['`**code**` and \\*stars\\*', '<p><code>**code**</code> and *stars*</p>'],
  ])('%j', (text, elements) => {
    if (typeof elements === 'string') expect(shown(text)).toBe(elements);
    else expect(shown(text)).toMatch(elements);
  });
});

describe('a link', () => {
  const link = (href: string, text: string) => `<a href="${href}">${text}</a>`;

  it.each([
    ['[shop](https://shop.example/a_(b))', link('https://shop.example/a_(b)', 'shop')],
    ['[*our* shop](http://a.example "t")', link('http://a.example', '<em>our</em> shop')],
    ['<mailto:a@b.example>', link('mailto:a@b.example', 'a@b.example')],
    ['(see https://a.example/b?c=d&e.)', /\(see <a href="[^"]*e">https[^<]*e<\/a>\.\)/],
    ['https://a.example/, **and**', /<\/a>, <strong>and/],
  ])('leads to the web or a mailbox: %s', (text, elements) => {
    expect(shown(text)).toMatch(elements);
  });

  it.each([
    '[x](javascript:alert)',
    '[x](JaVaScRiPt:alert)',
    '[x](java&#115;cript:alert)',
    '[x](data:text/html,hello)',
    '[x](vbscript:x)',
    '[x](file:///etc/passwd)',
    '[x](//elsewhere.example)',
    '[x](/api/logout)',
    '<javascript:alert>',
  ])('leads nowhere else: %s', (text) => {
    expect(shown(text)).not.toContain('<a');
    expect(shown(text)).toContain(text.slice(1, 5).replace('<', '&lt;'));
  });

  it('tells the page that it opens nothing of this one', () => {
    const text = '[a](https://a.example)';
    const html = renderToStaticMarkup(createElement(Markdown, { text }));
    expect(html).toContain('rel="noopener noreferrer"');
  });

  it('stands for a picture, which is not loaded', () => {
    expect(shown('![A map](https://a.example/map.png)')).toBe(
      '<p><a href="https://a.example/map.png">A map</a></p>',
    );
    expect(shown('![x](data:image/png;base64,AAAA)')).not.toMatch(/<img|<a/);
  });
});

describe('what somebody slips in', () => {
  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '**<iframe src="https://a.example"></iframe>**',
    '[<b>x</b>](https://a.example"onmouseover="alert(1))',
    '`<svg onload=alert(1)>`',
  ])('stays text: %s', (text) => {
    expect(shown(text)).not.toMatch(/<(script|img|iframe|svg|b)[ >]/);
    expect(shown(text)).not.toMatch(/<[^>]*\son\w+=/);
  });

  it.each([
    ['stars', '**a '.repeat(20_000)],
    ['brackets', '[a]('.repeat(20_000)],
    ['quotes', '> '.repeat(20_000)],
    ['lists', Array.from({ length: 500 }, (_, n) => `${' '.repeat(2 * n)}- a`).join('\n')],
    ['ticks', '`'.repeat(50_000)],
    ['addresses', `https://${'!'.repeat(50_000)}`],
    ['tables', `${'|'.repeat(20_000)}\n${'|-'.repeat(10_000)}`],
  ])(
    'does not hold the page up: %s',
    (_, text) => {
      expect(shown(text).length).toBeGreaterThan(0);
    },
    2_000,
  );
});
