import { randomBytes } from 'node:crypto';
import type { Envelope } from '@tallyhand/contracts/kernel/envelope';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { linkHash } from '@tallyhand/service-kit/crypto/hash-chain';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { encryptForPerson } from '@tallyhand/service-kit/crypto/person-keys';
import type { NewEvent } from '@tallyhand/service-kit/event-store/event-log';

const AGENTS = 10;

/** An organization with its one member and its agents, of whom its events tell. */
export type Cast = {
  readonly organizationId: string;
  readonly userId: string;
  readonly agents: readonly string[];
  /** Under the member's own key. */
  encrypt(text: string): Ciphertext;
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

/** `keepKey` puts the member's key where what is under it is read. */
export async function newCast(keepKey: (key: PersonKey) => Promise<unknown>): Promise<Cast> {
  const [organizationId, userId, signInId] = [newId(), newId(), newId()];
  const key = randomBytes(32);
  await keepKey({ userId, organizationId, key });
  const encrypt = (text: string) => encryptForPerson(key, text);
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
