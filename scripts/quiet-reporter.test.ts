import { describe, expect, it } from 'vitest';
import { leftOut } from './quiet-reporter.js';

const module = { meta: () => ({}) };
const suite = (lacks?: string) => ({ meta: () => ({ lacks }), parent: module });
const test = (state: string, parent: object = module) => ({
  result: () => ({ state }),
  meta: () => ({}),
  parent,
});

describe('the summary of a run', () => {
  it('lists what left-out tests lacked, the most frequent first', () => {
    const tests = [
      test('passed'),
      test('failed'),
      test('skipped', suite('Caddy')),
      test('skipped', suite('Dovecot')),
      test('skipped', { ...suite(), parent: suite('Dovecot') }),
    ];
    expect(leftOut(tests)).toBe('2 for want of Dovecot, 1 for want of Caddy');
  });

  it('prints nothing when no test was left out', () => {
    expect(leftOut([test('passed')])).toBe('');
  });
});
