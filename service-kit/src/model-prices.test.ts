import { describe, expect, it } from 'vitest';
import { modelPricesOf } from './model-prices.ts';

describe('modelPricesOf', () => {
  it('reads names, or their beginnings, with credits', () => {
    expect(modelPricesOf('claude-opus-*=5, openai/gpt-4.1=2,*=3')).toEqual([
      { model: 'claude-opus-*', credits: 5 },
      { model: 'openai/gpt-4.1', credits: 2 },
      { model: '*', credits: 3 },
    ]);
  });

  it.each([
    '',
    'gpt-4.1',
    'gpt-4.1=',
    '=2',
    'a=0',
    'a=1001',
    'a=1.5',
    'a=-1',
    'a b=2',
    'a*b=2',
    'a=1,',
    'a=1,a=2',
  ])('refuses %j', (text) => {
    expect(modelPricesOf(text)).toBeNull();
  });
});
