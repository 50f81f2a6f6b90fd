import { describe, expect, it } from 'vitest';
import { purchaseKeys, randomKey } from './purchase-keys.ts';

function keys() {
  let made = 0;
  return purchaseKeys(() => `key ${++made}`);
}

describe('the idempotency key of a purchase', () => {
  it('is a new one for each purchase that was answered', () => {
    const { keyOf, answered } = keys();
    expect(keyOf('starter')).toBe('key 1');
    answered();
    expect(keyOf('starter')).toBe('key 2');
  });
  it('is the same again while nobody knows whether the first one arrived', () => {
    const { keyOf } = keys();
    expect(keyOf('starter')).toBe(keyOf('starter'));
  });
  it('is another one for another package', () => {
    const { keyOf } = keys();
    expect(keyOf('scale')).not.toBe(keyOf('starter'));
  });
  it('is random', () => {
    expect(randomKey()).toMatch(/^[0-9a-f]{32}$/);
    expect(randomKey()).not.toBe(randomKey());
  });
});
