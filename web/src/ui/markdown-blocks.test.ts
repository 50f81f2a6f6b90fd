import { describe, expect, it } from 'vitest';
import { blocksOf } from './markdown-blocks.ts';
import { type Inline, inlinesOf } from './markdown-inlines.ts';

const text = (words: string): Inline => ({ kind: 'text', text: words });
const paragraph = (words: string) => ({ kind: 'paragraph', inlines: [text(words)] });

describe('a Markdown text', () => {
  it('has headings and paragraphs', () => {
    expect(blocksOf('# Returns\n\n## How long ##\nThirty days.\n#hash')).toEqual([
      { kind: 'heading', level: 1, inlines: [text('Returns')] },
      { kind: 'heading', level: 2, inlines: [text('How long')] },
      paragraph('Thirty days.\n#hash'),
    ]);
  });
  it('goes on where a line was full, and not where it was ended on purpose', () => {
    const full = 'A line that somebody broke because there was no room left at all';
    expect(blocksOf(`${full}\nfor the rest.\nNorth Street 1`)).toEqual([
      paragraph(`${full} for the rest.\nNorth Street 1`),
    ]);
  });
  it('has lists within lists, and more paragraphs in an item', () => {
    expect(blocksOf('- one\n  - inner\n- two\n\n  more\n\nAfter')).toEqual([
      {
        kind: 'list',
        start: undefined,
        items: [
          [paragraph('one'), { kind: 'list', start: undefined, items: [[paragraph('inner')]] }],
          [paragraph('two'), paragraph('more')],
        ],
      },
      paragraph('After'),
    ]);
  });
  it('has numbered lists that begin anywhere', () => {
    expect(blocksOf('3. three\n4) four')).toEqual([
      { kind: 'list', start: 3, items: [[paragraph('three')], [paragraph('four')]] },
    ]);
  });
  it('has code, quotes and rules', () => {
    expect(blocksOf('```js\n# no heading\n```\n> said\n> - so\n\n---')).toEqual([
      { kind: 'code', text: '# no heading' },
      {
        kind: 'quote',
        blocks: [paragraph('said'), { kind: 'list', start: undefined, items: [[paragraph('so')]] }],
      },
      { kind: 'rule' },
    ]);
  });
  it('has tables', () => {
    expect(blocksOf('| Way | Days |\n|:--|--:|\n| Express | 1 |\n\nEnd')).toEqual([
      {
        kind: 'table',
        head: [[text('Way')], [text('Days')]],
        rows: [[[text('Express')], [text('1')]]],
      },
      paragraph('End'),
    ]);
  });
  it('stays text where it is no Markdown', () => {
    const words = '<script>alert(1)</script> <img src=x onerror=alert(1)> 3 < 4 * 5 | 6';
    expect(blocksOf(words)).toEqual([paragraph(words)]);
    expect(blocksOf(' \n\n')).toEqual([]);
  });
});

describe('a line of Markdown', () => {
  it('has strong, stressed and literal words', () => {
    expect(inlinesOf('a **b *c** `d*` _e_ snake_case_name \\*f\\*')).toEqual([
      text('a *'),
      { kind: 'emphasis', inlines: [text('b ')] },
      text('c** '),
      { kind: 'code', text: 'd*' },
      text(' '),
      { kind: 'emphasis', inlines: [text('e')] },
      text(' snake_case_name '),
      text('*'),
      text('f'),
      text('*'),
    ]);
    expect(inlinesOf('**strong**')).toEqual([{ kind: 'strong', inlines: [text('strong')] }]);
  });
  it('has links to pages and letters only', () => {
    const link = (href: string, label: string) => ({ kind: 'link', href, inlines: [text(label)] });
    expect(inlinesOf('[shop](https://shop.example) https://a.example/b.')).toEqual([
      link('https://shop.example', 'shop'),
      text(' '),
      link('https://a.example/b', 'https://a.example/b'),
      text('.'),
    ]);
    expect(inlinesOf('[mail](mailto:a@b.example)')).toEqual([link('mailto:a@b.example', 'mail')]);
    for (const bad of ['javascript:alert`1`', 'data:text/html,x', '/api/logout', 'vbscript:x']) {
      const kinds = inlinesOf(`[click](${bad})`).map(({ kind }) => kind);
      expect(kinds).not.toContain('link');
    }
  });
});

describe('the longest texts', () => {
  it.each([
    ['stars', '*'.repeat(400_000)],
    ['open words', '**a _b `c [d '.repeat(30_000)],
    ['brackets', '['.repeat(200_000)],
    ['quotes within quotes', `${'> '.repeat(5_000)}x\n`.repeat(40)],
    [
      'lists within lists',
      Array.from({ length: 600 }, (_, at) => `${' '.repeat(at)}- x`).join('\n'),
    ],
    ['lines', 'a\n'.repeat(200_000)],
    ['table rows', `|a|\n|-|\n${'|b|\n'.repeat(100_000)}`],
    ['fences', '```\n'.repeat(100_000)],
    ['dashes', '- '.repeat(200_000)],
    ['underscores', '_a'.repeat(200_000)],
    ['addresses', 'https://'.repeat(50_000)],
  ])('of %s are read in no time', (_, long) => {
    const began = performance.now();
    blocksOf(long);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});
