import { eventsByCategory } from '@tallyhand/contracts/events';
import { ciphertextFields } from '@tallyhand/contracts/kernel/ids';
import { UnreadableText } from '@tallyhand/service-kit/crypto/person-keys';
import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { describe, expect, it } from 'vitest';
import { personalValues } from './audited-object.ts';

const person = '0193a1b2-0000-7000-8000-000000000001';
/** Categories whose texts only their author may read. */
const PRIVATE_CATEGORIES = ['conversation'];

type Kind = { readonly type: string; readonly schema: Parameters<typeof ciphertextFields>[0] };
const personal = Object.entries<Readonly<Record<string, Kind>>>(eventsByCategory)
  .flatMap(([category, kinds]) => Object.values(kinds).map((kind) => ({ category, ...kind })))
  .filter(({ schema }) => ciphertextFields(schema).length > 0);

const event = (type: string, data: object, envelope: object = {}) =>
  ({ type, data, envelope: { actor: { kind: 'member', id: person }, ...envelope } }) as StoredEvent;

/** Replaces every person id in the data by this one, so that each key is found. */
function whole({ type, schema }: Kind) {
  const fields = Object.keys(schema.shape).map((name) => [name, person]);
  return event(type, Object.fromEntries(fields));
}

describe('the personal values of an event', () => {
  it.each(personal)('of the type $type are revealed, or private', async (kind) => {
    const values = await personalValues(
      { category: kind.category, event: whole(kind) },
      async () => ({ text: 'plain', key: 'key' }),
    );
    const expected = PRIVATE_CATEGORIES.includes(kind.category) ? 'private' : 'plain';
    const paths = ciphertextFields(kind.schema).map((name) => `data.${name}`);
    expect(values.revealed).toEqual(Object.fromEntries(paths.map((path) => [path, expected])));
    // What is private stays closed to an auditor, too.
    const proved = expected === 'private' ? [] : paths;
    expect(Object.keys(values.textKeys)).toEqual(proved);
  });

  it('are read with the key of the person that the event is about, the address with the actor’s', async () => {
    const userId = '0193a1b2-0000-7000-8000-000000000002';
    const registered = event(
      'UserRegistered',
      { userId, username: 'sealed name', email: 'sealed email' },
      { sourceAddress: 'sealed address' },
    );
    const open = async (id: string, text: string) =>
      text === 'sealed email'
        ? { text: 'from before keys', key: null }
        : { text: `${text} of ${id.slice(-1)}`, key: `key of ${text}` };
    expect(await personalValues({ category: 'user', event: registered }, open)).toEqual({
      revealed: {
        'data.username': 'sealed name of 2',
        'data.email': 'from before keys',
        sourceAddress: 'sealed address of 1',
      },
      textKeys: {
        'data.username': 'key of sealed name',
        sourceAddress: 'key of sealed address',
      },
    });
  });

  it('of erased people are only said to be erased', async () => {
    const stored = event('UserRegistered', { userId: person, email: 'sealed' });
    expect(await personalValues({ category: 'user', event: stored }, async () => null)).toEqual({
      revealed: { 'data.email': 'erased' },
      textKeys: {},
    });
  });

  it('are left out when no key fits, and a fault is reported', async () => {
    const stored = event('UserRegistered', { userId: person, email: 'sealed' });
    const failing = (error: Error) => async () => {
      throw error;
    };
    const read = (error: Error) =>
      personalValues({ category: 'user', event: stored }, failing(error));
    expect(await read(new UnreadableText())).toEqual({ revealed: {}, textKeys: {} });
    await expect(read(new Error('No database'))).rejects.toThrow('No database');
  });
});
