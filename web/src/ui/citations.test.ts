import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { citeTree } from './citations.ts';
import { Markdown, type MarkdownNode } from './markdown.tsx';

const source = (quote: string, articleTitle = 'Returns') => ({
  articleId: '0193a1b2-0000-7000-8000-000000000001',
  articleVersion: 1,
  articleTitle,
  ordinal: 0,
  quote,
});
const returns = source('Items can be returned within 30 days of delivery. Sale items stay sold.');
const shipping = source('Parcels to Norway arrive after 5 working days.', 'Shipping');

/** The elements of the text with its citations in place. */
function elements(text: string, ...sources: ReturnType<typeof source>[]): string {
  const citing = {
    plugin: () => (root: MarkdownNode) => citeTree(root, sources),
    cite: ({ title = '' }) => `[${title.replaceAll(' ', '][')}]`,
  };
  return renderToStaticMarkup(createElement(Markdown, { text, citing }))
    .replace(/^<div[^>]*>|<\/div>$/g, '')
    .replace(/ (class|title|target|rel|href)="[^"]*"/g, '')
    .replace(/>\n+</g, '><');
}

const cited = (...given: Parameters<typeof elements>) =>
  elements(...given)
    .replace(/<\/?p>/g, '')
    .replaceAll('&#x27;', "'");

describe('a citation', () => {
  it.each([
    ['the words of the passage', 'Items can be returned within 30 days of delivery.[1]'],
    ['a part of them', 'Returned within 30 days.[1]'],
    ['their beginnings in another order', 'You can return items within 30 days.[1]'],
    ['other marks and capitals', 'ITEMS can be returned — within 30 days, of delivery![1]'],
  ])('stands after a sentence with %s', (_, shown) => {
    expect(cited(shown.replace('[1]', ''), returns)).toBe(shown);
  });

  it.each([
    [
      'a number that the passage does not have',
      'Items can be returned within 60 days of delivery.',
    ],
    ['the opposite', 'Items cannot be returned within 30 days of delivery.'],
    ['the opposite, shortened', "Items can't be returned within 30 days of delivery."],
    ['mostly other words', 'Refunds of returned items reach your bank account within a week.'],
    ['one word of it', 'Items.'],
    ['a question', 'Can items be returned within 30 days of delivery?'],
    ['another subject', 'Here is what the article says.'],
  ])('does not stand after %s', (_, text) => {
    expect(cited(text, returns)).toBe(text);
  });

  it('does not stand after a part of a sentence that denies it', () => {
    const text = 'We accept returned items after 60 days.';
    expect(cited(text, source(`It is not true that ${text.toLowerCase()}`))).toBe(text);
  });

  it('stands beside each sentence that has another source, and only there', () => {
    const text =
      'Thank you for asking. You can return items within 30 days. Parcels to Norway arrive after 5 working days. Anything else?';
    expect(cited(text, returns, shipping)).toBe(
      'Thank you for asking. You can return items within 30 days.[1] Parcels to Norway arrive after 5 working days.[2] Anything else?',
    );
  });

  it('names every source of a sentence', () => {
    expect(cited('Sale items stay sold.', returns, source('All sale items stay sold.'))).toBe(
      'Sale items stay sold.[1][2]',
    );
  });

  it('stands once after sentences in a row with the same source', () => {
    expect(cited(returns.quote, returns)).toBe(`${returns.quote}[1]`);
  });

  it('finds sentences in lines without a full stop', () => {
    expect(cited('Returned within 30 days\nParcels to Norway arrive', returns, shipping)).toBe(
      'Returned within 30 days[1]\nParcels to Norway arrive[2]',
    );
  });

  it.each([
    ['商品は配達後30日以内に返品できます。', '商品は配達後30日以内に返品できます。'],
    ['商品可在送达后30天内退货。', '商品可在送达后30天内退货。'],
    [
      '상품은 배송 후 30일 이내에 반품할 수 있습니다.',
      '상품은 배송 후 30일 이내에 반품할 수 있습니다.',
    ],
    ['Товар можно вернуть в течение 30 дней.', 'Вернуть товар можно в течение 30 дней.'],
    ['Die Ware kann 30 Tage lang zurückgegeben werden.', 'Ware kann 30 Tage zurückgegeben werden.'],
  ])('is found in other languages: %s', (quote, text) => {
    expect(cited(text, source(quote))).toBe(`${text}[1]`);
  });

  it.each([
    ['商品は返品できます。', '商品は返品できません。'],
    ['商品可以退货。', '商品不可以退货。'],
    ['Die Ware kann zurückgegeben werden.', 'Die Ware kann nicht zurückgegeben werden.'],
    ['Товар можно вернуть в магазин.', 'Товар нельзя вернуть в магазин.'],
  ])('is not given to the opposite in other languages: %s', (quote, text) => {
    expect(cited(text, source(quote))).toBe(text);
  });

  it.each([
    'Express delivery arrives\non the next working day and costs 12 dollars.',
    'Goods that were never used can be sent back to us from anywhere\nwithin 30 days of delivery.',
  ])('stands after a sentence that was broken where a line of the article was full', (quote) => {
    expect(cited(quote, source(quote))).toMatch(/\.\[1\]$/);
    expect(cited(`> ${quote.replace('\n', '\n> ')}`, source(quote))).toContain('.[1]');
  });

  it('takes little time for long texts with many sources', () => {
    const text = 'Items can be returned within 30 days of delivery. Or not. '.repeat(300);
    const many = Array.from({ length: 40 }, () => source(text.slice(0, 4_000)));
    expect(cited(text, ...many).split('[40]')).toHaveLength(301);
    expect(cited(text.repeat(2), ...many)).not.toContain('[');
  });
});

describe('a citation in Markdown', () => {
  it.each([
    [
      '> Returned within 30 days.\n\n— “Returns”',
      '<blockquote><p>Returned within 30 days.[1]</p></blockquote><p>— “Returns”</p>',
    ],
    [
      '- Returned within 30 days\n- Or not',
      '<ul><li>Returned within 30 days[1]</li><li>Or not</li></ul>',
    ],
    [
      'Returned within **30 days**. Or not.',
      '<p>Returned within <strong>30 days</strong>.[1] Or not.</p>',
    ],
    [
      '**Returned within 30 days. Or not.**',
      '<p><strong>Returned within 30 days.[1] Or not.</strong></p>',
    ],
    [
      '[Returned within 30 days. Or not.](https://a.example)',
      '<p><a>Returned within 30 days. Or not.</a>[1]</p>',
    ],
    ['Returned within `30 days`', '<p>Returned within <code>30 days</code>[1]</p>'],
    ['# Returned within 30 days', '<h3>Returned within 30 days</h3>'],
    ['```\nReturned within 30 days\n```', '<pre><code>Returned within 30 days</code></pre>'],
    [
      '| a |\n|---|\n| Returned within 30 days |',
      '<table><thead><tr><th scope="col">a</th></tr></thead><tbody><tr><td>Returned within 30 days[1]</td></tr></tbody></table>',
    ],
  ])('stands beside the sentence: %j', (text, shown) => {
    expect(elements(text, returns).replace(/\n(?=<\/(code|ul|blockquote))|(?<=<ul>)\n/g, '')).toBe(
      shown,
    );
  });
});
