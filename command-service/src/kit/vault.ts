import { randomBytes } from 'node:crypto';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import {
  encryptForPerson,
  type PersonKeys,
  personKeyContext,
} from '@tallyhand/service-kit/crypto/person-keys';
import type { SealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import type pg from 'pg';

const PERSON_KEY_BYTES = 32;

/** Secrets, encrypted at rest; never part of an event. */
export type Vault = {
  /** Creates the person's key, or returns the existing one. */
  personKey(personId: string, organizationId: string): Promise<Uint8Array>;
  encrypt(personId: string, organizationId: string, text: string): Promise<Ciphertext>;
  keepPasswordHash(userId: string, hash: string): Promise<void>;
  passwordHash(userId: string): Promise<string | null>;
};

export function postgresVault(pool: pg.Pool, box: SealedBox, keys: PersonKeys): Vault {
  const passwordContext = (userId: string) => `password-hash ${userId}`;

  async function personKey(personId: string, organizationId: string): Promise<Uint8Array> {
    const known = await keys.keyOf(personId);
    if (known) return known;
    const sealed = box.seal(randomBytes(PERSON_KEY_BYTES), personKeyContext(personId));
    await pool.query(
      `insert into operational.person_keys (person_id, organization_id, sealed)
       values ($1, $2, $3) on conflict do nothing`,
      [personId, organizationId, sealed],
    );
    const key = await keys.keyOf(personId);
    if (!key) throw new Error('A person key vanished while it was made');
    return key;
  }

  return {
    personKey,
    encrypt: async (personId, organizationId, text) =>
      encryptForPerson(await personKey(personId, organizationId), text),
    async keepPasswordHash(userId, hash) {
      await pool.query(
        `insert into operational.password_hashes (user_id, sealed) values ($1, $2)
         on conflict (user_id) do update set sealed = excluded.sealed, updated_at = now()`,
        [userId, box.seal(Buffer.from(hash), passwordContext(userId))],
      );
    },
    async passwordHash(userId) {
      const { rows } = await pool.query<{ sealed: Buffer }>(
        'select sealed from operational.password_hashes where user_id = $1',
        [userId],
      );
      return rows[0] ? box.open(rows[0].sealed, passwordContext(userId)).toString() : null;
    },
  };
}
