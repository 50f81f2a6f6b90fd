import { newId } from '@tallyhand/service-kit/crypto/ids';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idIn, nameFor } from './names.ts';

const id = '0193a1b2-0000-7000-8000-000000000001';

describe('the name of an agent as a tool', () => {
  it('is readable', () => {
    expect(nameFor('ask', 'Kundendienst für Rückgaben', id)).toMatch(/^ask_kundendienst_fur_r_0/);
  });

  it('is valid and leads back to the id, whatever the agent is called', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.uuid(), (title, uuid) => {
        const name = nameFor('ask', title, uuid);
        expect(name).toMatch(/^[a-zA-Z0-9_-]{1,49}$/);
        expect(idIn(name)).toBe(uuid);
      }),
    );
  });

  it('differs for two agents of the same name, or without Latin letters', () => {
    expect(nameFor('ask', 'サポート', id)).toMatch(/^ask_[0-9a-z]{25}$/);
    expect(nameFor('ask', 'Support', newId())).not.toBe(nameFor('ask', 'Support', newId()));
  });

  it('still leads to the agent after it was renamed', () => {
    expect(idIn(nameFor('ask', 'Before', id))).toBe(idIn(nameFor('ask', 'After', id)));
  });
});

describe('a name of nothing', () => {
  it.each([
    '',
    'get_task',
    `ask_${'z'.repeat(25)}`,
    `ask_${'0'.repeat(24)}`,
    `ask${'0'.repeat(25)}`,
  ])('has no id: %s', (name) => expect(idIn(name)).toBeNull());
});
