import { describe, expect, it } from 'vitest';
import { isComplete } from './prepare.js';

const locked = {
  '': { name: 'product' },
  'node_modules/a': { version: '1.0.0', integrity: 'sha512-a' },
  'node_modules/b': { version: '1.0.0', integrity: 'sha512-b', dev: true },
  'node_modules/c': { version: '1.0.0', integrity: 'sha512-c', optional: true },
};
const { 'node_modules/a': a, 'node_modules/b': b } = locked;
const product = { 'node_modules/a': a };
const isProduct = (installed: object) =>
  isComplete(locked, { ...installed }, { development: false });
const isAll = (installed: object) => isComplete(locked, { ...installed }, { development: true });

describe('what is installed', () => {
  it('is enough for the product without development packages and those of other platforms', () => {
    expect(isProduct(product)).toBe(true);
    expect(isProduct({})).toBe(false);
  });

  it('is enough for tests with the development packages', () => {
    expect(isAll(product)).toBe(false);
    expect(isAll({ ...product, 'node_modules/b': b })).toBe(true);
  });

  it('is not enough in another version, or with other content', () => {
    expect(isProduct({ 'node_modules/a': { ...a, version: '1.0.1' } })).toBe(false);
    expect(isProduct({ 'node_modules/a': { ...a, integrity: 'sha512-x' } })).toBe(false);
    expect(isProduct({ ...product, 'node_modules/b': { ...b, version: '2.0.0' } })).toBe(false);
  });
});
