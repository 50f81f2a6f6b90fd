import { randomBytes } from 'node:crypto';
import type { Envelope } from '@tallyhand/contracts/kernel/envelope';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { linkHash } from '@tallyhand/service-kit/crypto/hash-chain';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { encryptForPerson } from '@tallyhand/service-kit/crypto/person-keys';
import type { NewEvent } from '@tallyhand/service-kit/event-store/event-log';

const AGENTS = 10;

/** A member; `encrypt` uses the member's own key. */
export type Person = { readonly userId: string; encrypt(text: string): Ciphertext };

/** An organization with its members and agents, which the events are about. */
export type Cast = Person & {
  readonly organizationId: string;
  readonly agents: readonly string[];
  /** The first, an Admin, is the cast itself: all events are caused by that member or a worker. */
  readonly people: readonly Person[];
  /** An event as the command side stores it, caused by the member or by a worker. */
  event(value: EventValue, by?: 'member' | 'worker'): NewEvent;
  /** The next link of the ledger's chain. */
  link(value: EventValue): NewEvent;
};

export type PersonKey = {
  readonly userId: string;
  readonly organizationId: string;
  readonly key: Uint8Array;
};

/** `keepKey` puts a member's key where what is under it is read. */
export async function newCast(
  keepKey: (key: PersonKey) => Promise<unknown>,
  members = 1,
): Promise<Cast> {
  const [organizationId, signInId] = [newId(), newId()];
  const newPerson = async (): Promise<Person> => {
    const [userId, key] = [newId(), randomBytes(32)];
    await keepKey({ userId, organizationId, key });
    return { userId, encrypt: (text) => encryptForPerson(key, text) };
  };
  const first = await newPerson();
  const people = [first];
  while (people.length < members) people.push(await newPerson());
  const { userId, encrypt } = first;
  const sourceAddress = encrypt('192.0.2.17');
  const member = { actor: { kind: 'member', id: userId, signInId }, sourceAddress };
  let head = '';

  function event({ type, data }: EventValue, by: 'member' | 'worker' = 'member'): NewEvent {
    const envelope: Envelope = {
      schemaVersion: 1,
      organizationId,
      correlationId: newId(),
      causationId: null,
      commandId: newId(),
      recordedAt: new Date().toISOString(),
      ...(by === 'member' ? member : { actor: { kind: 'worker' } }),
    };
    return { id: newId(), type, data, envelope };
  }
  return {
    organizationId,
    userId,
    encrypt,
    people,
    event,
    agents: Array.from({ length: AGENTS }, () => newId()),
    link(value) {
      const unlinked = event(value);
      const link = { prev: head, hash: linkHash(head, unlinked) };
      head = link.hash;
      return { ...unlinked, envelope: { ...unlinked.envelope, link } };
    },
  };
}
