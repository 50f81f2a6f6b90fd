import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { event } from './messages.ts';

/** Version 1 had one name, version 2 two of them, and today's counts the letters too. */
const PersonNamed = event(
  'PersonNamed',
  { first: z.string(), last: z.string(), letters: z.int() },
  [
    ({ name, ...rest }) => {
      const [first, last = ''] = String(name).split(' ');
      return { ...rest, first, last };
    },
    (data) => ({ ...data, letters: `${data.first}${data.last}`.length }),
  ],
);
const today = { first: 'Ada', last: 'Lovelace', letters: 11 };

describe('an event', () => {
  it('is read in its current shape, whatever version it was stored as', () => {
    expect(PersonNamed.version).toBe(3);
    expect(PersonNamed.read({ name: 'Ada Lovelace' }, 1)).toEqual(today);
    expect(PersonNamed.read({ first: 'Ada', last: 'Lovelace' }, 2)).toEqual(today);
    expect(PersonNamed.read(today, 3)).toEqual(today);
  });

  it('of a newer release is read without its unknown fields', () => {
    expect(PersonNamed.read({ ...today, title: 'Countess' }, 4)).toEqual(today);
  });

  it('without the fields of its version is refused', () => {
    expect(() => PersonNamed.read({ first: 'Ada' }, 2)).toThrow();
    expect(() => PersonNamed.read({ name: 'Ada' }, 3)).toThrow();
  });
});
