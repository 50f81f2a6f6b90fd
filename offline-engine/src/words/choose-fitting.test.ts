import { describe, expect, it } from 'vitest';
import { chooseFitting } from './terms.ts';

const refunds = {
  id: 'refunds',
  text: 'Refund a customer. What to do when a customer wants money.',
};
const repairs = { id: 'repairs', text: 'Repairing a tent. Checking seams, poles and zips.' };

describe('the best match for a request', () => {
  it('shares its words, in every inflected form', () => {
    expect(chooseFitting('My tent needs a repair', [refunds, repairs])).toBe('repairs');
    expect(chooseFitting('A customer asks for refunds', [refunds, repairs])).toBe('refunds');
  });
  it('is the first where none is better', () => {
    expect(chooseFitting('Hello', [refunds, repairs])).toBe('refunds');
  });
  it('is nothing where there is nothing', () => {
    expect(chooseFitting('Hello', [])).toBe(null);
  });
});
