import { describe, expect, it } from 'vitest';
import { formsOf, isRelated } from './related-words.ts';

describe('related words', () => {
  it('join words for the same, in any of their forms', () => {
    expect(isRelated('wag', 'salar', 'en')).toBe(true);
    expect(formsOf('wages', 'en')).toEqual(expect.arrayContaining(['salary', 'pay']));
  });

  it('lead from a kind to its members, and not back', () => {
    expect(formsOf('colour', 'en')).toContain('red');
    expect(formsOf('red', 'en')).not.toContain('colour');
    expect(formsOf('red', 'en')).not.toContain('green');
  });

  it('know the irregular forms of a word', () => {
    expect(formsOf('children', 'en')).toContain('child');
    expect(formsOf('lose', 'en')).toContain('lost');
  });

  it('are few for each word, as each of them is searched for', () => {
    for (const word of ['animal', 'food', 'pay', 'right', 'charge', 'work', 'month', 'change']) {
      expect(formsOf(word, 'en').length).toBeLessThanOrEqual(24);
    }
  });

  it('are none for a word that is not in the list', () => {
    expect(formsOf('zyzzyva', 'en')).toEqual([]);
    expect(isRelated('zyzzyva', 'zyzzyva', 'en')).toBe(false);
  });
});

describe('groups of words', () => {
  it.each([
    ['en', 'vulnerability', 'weakness'],
    ['de', 'stornieren', 'absagen'],
    ['fr', 'bagages', 'valises'],
    ['es', 'cancelar', 'baja'],
    ['it', 'rimborso', 'soldi'],
    ['pt', 'encomenda', 'pedido'],
    ['nl', 'terugsturen', 'retourneren'],
    ['ru', 'цена', 'стоимость'],
  ] as const)('stand for each other (%s): %s, %s', (language, one, other) => {
    expect(formsOf(one, language)).toContain(other);
    expect(formsOf(other, language)).toContain(one);
  });

  it('belong to their language', () => {
    expect(formsOf('absagen', 'en')).toEqual([]);
  });

  it('are written without accents, as words are compared', () => {
    expect(formsOf('resiliation', 'fr')).toContain('annuler');
    expect(formsOf('annuler', 'fr')).toContain('resiliation');
  });

  it('know scripts without spaces beside any language', () => {
    expect(formsOf('返品', 'en')).toContain('返却');
    expect(isRelated('返品', '返却', 'en')).toBe(true);
    expect(isRelated('修', '故障', 'de')).toBe(false);
  });
});
