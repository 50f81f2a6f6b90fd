import { matrix, plans, shopList } from '@tallyhand/agent-runtime/browsing/fixtures/outlines';
import { describe, expect, it } from 'vitest';
import { pricedIn, priceIn, rankedBy } from './offers.ts';
import { mainOf, parseOutline } from './outline.ts';

const offersOf = (outline: string) => pricedIn(mainOf(parseOutline(outline)));

describe('priceIn', () => {
  it.each([
    ['€1,299.00', 1299, 'EUR', null],
    ['1.299,00 €', 1299, 'EUR', null],
    ['1 299,50 €', 1299.5, 'EUR', null],
    ['$9/mo', 9, 'USD', 12],
    ['9 € par mois', 9, 'EUR', 12],
    ['120 EUR pro Jahr', 120, 'EUR', 1],
    ["CHF 1'200.–", 1200, 'CHF', null],
    ['£5 per week', 5, 'GBP', 52],
    ['Free', 0, '', null],
    ['kostenlos', 0, '', null],
  ])('%s', (text, amount, currency, perYear) => {
    expect(priceIn(text)).toEqual({ amount, currency, perYear });
  });

  it.each(['3 days', 'Page 1 of 2', '2026-09-14', 'Feel free to ask', '€'])('not %s', (text) => {
    expect(priceIn(text)).toBeNull();
  });
});

describe('pricedIn', () => {
  it('recognizes cards by their headings', () => {
    expect(offersOf(shopList)).toEqual([
      { name: 'Alpine 40', price: '€129.00' },
      { name: 'City 18', price: '€54.90' },
    ]);
    expect(offersOf(plans)[0]).toEqual({ name: 'Weekend', price: '€9 per month' });
  });

  it('recognizes a table by its columns, and a list by its words', () => {
    expect(offersOf(matrix)).toEqual([
      { name: 'Basic', price: '$9 / month' },
      { name: 'Pro', price: '$24 / month' },
    ]);
    expect(offersOf('- list:\n  - listitem: Adults – €12\n  - listitem: Children – €6')).toEqual([
      { name: 'Adults', price: '€12' },
      { name: 'Children', price: '€6' },
    ]);
  });

  it('joins a price in pieces with its period, and ignores the old price', () => {
    const card = `- article:
  - heading "Team" [level=3]
  - deletion: €30
  - generic:
    - text: €
    - strong: "24"
  - text: per month`;
    expect(offersOf(card)).toEqual([{ name: 'Team', price: '€ 24 per month' }]);
  });
});

describe('rankedBy', () => {
  const finding = (about: string, quote: string) => ({ about, quote, url: null });
  const namesOf = (order: 'cheapest' | 'dearest', ...all: [string, string][]) =>
    rankedBy(
      { order, count: null },
      all.map(([about, quote]) => finding(about, quote)),
    ).map(({ about }) => about);

  it('orders by the price per year', () => {
    const all: [string, string][] = [
      ['Monthly', '€10 per month'],
      ['Yearly', '€100 per year'],
      ['Nothing', 'Free'],
    ];
    expect(namesOf('cheapest', ...all)).toEqual(['Nothing', 'Yearly', 'Monthly']);
    expect(namesOf('dearest', ...all)).toEqual(['Monthly', 'Yearly', 'Nothing']);
  });

  it('does not compare incomparable prices', () => {
    expect(namesOf('cheapest', ['A', '€9'], ['B', '€8'], ['C', '$1'], ['D', '€1/month'])).toEqual([
      'B',
      'A',
    ]);
  });

  it('counts an offer on two pages once', () => {
    expect(namesOf('cheapest', ['A', '€9'], ['A', '€9.00'])).toEqual(['A']);
  });
});
