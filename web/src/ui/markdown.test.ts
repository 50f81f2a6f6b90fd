import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { Markdown } from './markdown.tsx';

/** The elements of a text, without their styles and line ends. */
function shown(text: string): string {
  const html = renderToStaticMarkup(createElement(Markdown, { text }));
  return html
    .replace(/^<div[^>]*>|<\/div>$/g, '')
    .replace(/ (class|title|target|rel)="[^"]*"/g, '')
    .replace(/>\n+/g, '>')
    .replace(/\n+(?=<[/uob])/g, '');
}

describe('a text in Markdown', () => {
  it.each([
    ['plain words', '<p>plain words</p>'],
    ['one\ntwo\n\nthree', '<p>one\ntwo</p><p>three</p>'],
    ['# Returns\n### 1. Find it ###', '<h3>Returns</h3><h3>1. Find it</h3>'],
    ['#hashtag', '<p>#hashtag</p>'],
    ['> quoted\n> on\n\n— me', '<blockquote><p>quoted\non</p></blockquote><p>— me</p>'],
    ['a\n- b\n- c', '<p>a</p><ul><li>b</li><li>c</li></ul>'],
    ['3. c\n4. d', '<ol start="3"><li>c</li><li>d</li></ol>'],
    ['- a\n  - b', '<ul><li>a<ul><li>b</li></ul></li></ul>'],
    ['- [x] a\n- [ ] b', '<ul><li>\u2611 a</li><li>\u2610 b</li></ul>'],
    ['```sh\nls <dir>\n```\nend', '<pre><code>ls &lt;dir&gt;</code></pre><p>end</p>'],
    ['```\nnever closed', '<pre><code>never closed</code></pre>'],
    ['a\n\n---\n\nb', '<p>a</p><hr/><p>b</p>'],
    ['a | b', '<p>a | b</p>'],
    ['**all of *it***', '<p><strong>all of <em>it</em></strong></p>'],
    ['2 * 3 * 4, snake_case_name, **open', '<p>2 * 3 * 4, snake_case_name, **open</p>'],
    ['`**code**` and \\*stars\\*', '<p><code>**code**</code> and *stars*</p>'],
  ])('%j', (text, elements) => {
    expect(shown(text)).toBe(elements);
  });

  it('has tables whose head names the columns', () => {
    expect(shown('| Size | Price |\n|---|--:|\n| S | 1 |\n| M |')).toBe(
      '<table><thead><tr><th scope="col">Size</th><th scope="col">Price</th></tr></thead>' +
        '<tbody><tr><td>S</td><td>1</td></tr><tr><td>M</td><td></td></tr></tbody></table>',
    );
  });
  it('has headings of the level that the page needs', () => {
    const html = renderToStaticMarkup(createElement(Markdown, { text: '# a', heading: 'h2' }));
    expect(html).toContain('<h2');
  });
  it('continues a full line, but not one that was ended on purpose', () => {
    const full = 'A line that somebody broke because there was no room left at all';
    const text = `${full}\nfor the *rest* of it.\nNorth Street 1`;
    expect(shown(text)).toBe(`<p>${full} for the <em>rest</em> of it.\nNorth Street 1</p>`);
  });
  it('continues a sentence that is quoted from the middle of a line', () => {
    const text = '> Express delivery arrives\n> on the next day.\n\nOpening hours\n9 to 5';
    expect(shown(text)).toBe(
      '<blockquote><p>Express delivery arrives on the next day.</p></blockquote>' +
        '<p>Opening hours\n9 to 5</p>',
    );
  });
});

describe('a link', () => {
  const link = (href: string, text: string) => `<a href="${href}">${text}</a>`;

  it.each([
    ['[shop](https://shop.example/a_(b))', link('https://shop.example/a_(b)', 'shop')],
    ['[*our* shop](http://a.example "t")', link('http://a.example', '<em>our</em> shop')],
    ['<a@b.example>', link('mailto:a@b.example', 'a@b.example')],
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
    expect(shown(text)).toMatch(/^<p>(x|javascript:alert)<\/p>$/);
  });

  it('prevents the opened page from reaching this one', () => {
    const text = '[a](https://a.example)';
    const html = renderToStaticMarkup(createElement(Markdown, { text }));
    expect(html).toMatch(/target="_blank" rel="noopener noreferrer"/);
  });

  it('replaces a picture, which is not loaded', () => {
    expect(shown('![A map](https://a.example/map.png)')).toBe(
      '<p><a href="https://a.example/map.png">A map</a></p>',
    );
    expect(shown('![x](data:image/png;base64,AAAA)')).toBe('<p>x</p>');
    expect(shown('[![A map](https://a.example/map.png)](https://a.example)')).toBe(
      '<p><a href="https://a.example">A map</a></p>',
    );
    expect(shown('![A map][1]\n\n[1]: https://a.example/map.png')).toBe(
      '<p><a href="https://a.example/map.png">A map</a></p>',
    );
  });
});

describe('injected markup', () => {
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
    ['fewer stars', '**a '.repeat(1_400)],
    ['brackets', '[a]('.repeat(20_000)],
    ['fewer brackets', '[a]('.repeat(900)],
    ['closing brackets', ']'.repeat(200_000)],
    ['quotes', '> '.repeat(20_000)],
    ['quotes on many lines', `${'> '.repeat(12)}x\n`.repeat(400)],
    ['lists', Array.from({ length: 500 }, (_, n) => `${' '.repeat(2 * n)}- a`).join('\n')],
    ['lists on one line', '- '.repeat(20_000)],
    ['ticks', '`'.repeat(50_000)],
    ['addresses', `https://${'!'.repeat(50_000)}`],
    ['mailboxes', 'a@'.repeat(50_000)],
    ['lines', 'a\n'.repeat(150_000)],
    ['headings', 'a\n=\n'.repeat(50_000)],
    ['columns', `${'|'.repeat(20_000)}\n${'|-'.repeat(10_000)}`],
    ['cells', `${'|a'.repeat(999)}|\n${'|-'.repeat(999)}|\n${'|b|\n'.repeat(999)}`],
    ['footnotes', '[^a]: x\n\n'.repeat(3_000) + '\n\n[^a]'.repeat(3_000)],
  ])(
    'does not hold the page up: %s',
    (_, text) => {
      expect(shown(text).length).toBeGreaterThan(0);
    },
    5_000,
  );
});

describe('a long text', () => {
  it('is read as Markdown when people may have written it', () => {
    const chapter = `## On returns\n\n${'- [shop](https://a.example), **now** (or _later_)\n'.repeat(40)}`;
    const html = shown(`${chapter}\n`.repeat(20));
    expect(html.match(/<li>/g)).toHaveLength(800);
  });
  it('is shown unchanged when it has more markup than people write', () => {
    const text = '**a** '.repeat(2_000);
    expect(shown(text)).toBe(`<p>${text}</p>`);
  });
});
