import { personKeyContext } from '@tallyhand/service-kit/crypto/person-keys';
import { sealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import { StartRefusal } from '@tallyhand/service-kit/settings';
import type pg from 'pg';

/**
 * Throws when the database's secrets were sealed with another master key. Nothing may have been
 * changed before: the passwords of the roles derive from the key, too.
 */
export async function checkMasterKey(client: pg.Client, masterKey: string): Promise<void> {
  const { rows: found } = await client.query<{ exists: boolean }>(
    `select to_regclass('operational.person_keys') is not null as exists`,
  );
  if (!found[0]?.exists) return;
  const { rows } = await client.query<{ id: string; sealed: Buffer }>(
    `select person_id as id, sealed from operational.person_keys
     where sealed is not null limit 1`,
  );
  const [key] = rows;
  if (!key) return;
  try {
    sealedBox(masterKey).open(key.sealed, personKeyContext(key.id));
  } catch {
    throw new StartRefusal(
      'MASTER_KEY is not the key that the secrets in this database were sealed with. ' +
        'Nothing was changed: start again with the right one.',
    );
  }
}
