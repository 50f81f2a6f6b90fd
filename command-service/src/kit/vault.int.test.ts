import { randomBytes, randomUUID } from 'node:crypto';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import { personKeyContext, personKeys } from '@tallyhand/service-kit/crypto/person-keys';
import { sealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import { testKey } from '@tallyhand/test-kit/backends';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openTestKit, type TestKit } from './testing/backends.ts';
import { postgresVault } from './vault.ts';

let kit: TestKit;
beforeAll(async () => {
  kit = await openTestKit();
});
afterAll(() => kit[Symbol.asyncDispose]());

const organizationId = randomUUID();

/** The vault as another process has it: nothing in its memory, `masterKey` as it was started with. */
function vaultOf(masterKey = kit.config.masterKey) {
  const { pool } = kit.opened.kit;
  const box = sealedBox(masterKey);
  const keys = personKeys(pool, box);
  return { keys, vault: postgresVault(pool, box, keys) };
}

const sealedFor = (person: string) =>
  sealedBox(kit.config.masterKey).seal(randomBytes(32), personKeyContext(person));

describe("a person's key", () => {
  it('is created once, even when several processes request it at the same time', async () => {
    const person = randomUUID();
    const asked = Array.from({ length: 10 }, () =>
      vaultOf().vault.personKey(person, organizationId),
    );
    const keys = await Promise.all(asked);
    expect(new Set(keys.map((key) => Buffer.from(key).toString('hex'))).size).toBe(1);
  });

  it('reads what was encrypted for the person, in any process', async () => {
    const person = randomUUID();
    const text = await vaultOf().vault.encrypt(person, organizationId, 'ada@example.com');
    expect(text).not.toContain('ada');
    expect(await vaultOf().keys.reveal(person, text)).toBe('ada@example.com');
  });

  it('leaves nothing readable once it is gone', async () => {
    const person = randomUUID();
    const text = await vaultOf().vault.encrypt(person, organizationId, 'ada@example.com');
    await kit.admin.query('delete from operational.person_keys where person_id = $1', [person]);
    expect(await vaultOf().keys.reveal(person, text)).toBe('erased');
  });

  it('is never created again after its destruction, and is dropped from caches', async () => {
    const person = randomUUID();
    const { vault, keys } = vaultOf();
    const text = await vault.encrypt(person, organizationId, 'ada@example.com');
    await kit.admin.query('update operational.person_keys set sealed = null where person_id = $1', [
      person,
    ]);
    expect(await keys.reveal(person, text)).toBe('ada@example.com');
    keys.forget([person]);
    expect(await keys.reveal(person, text)).toBe('erased');
    await expect(vault.encrypt(person, organizationId, 'again')).rejects.toThrow();
    expect(await vaultOf().keys.keyOf(person)).toBeNull();
  });

  it('is read once for concurrent requests, and never again once it is known to be destroyed', async () => {
    const [ada, ben] = [randomUUID(), randomUUID()];
    const { vault } = vaultOf();
    const texts = await Promise.all(
      [ada, ben].map((person) => vault.encrypt(person, organizationId, 'text')),
    );
    await kit.admin.query('update operational.person_keys set sealed = null where person_id = $1', [
      ben,
    ]);
    const { pool } = kit.opened.kit;
    const query = vi.spyOn(pool, 'query');
    const { keys } = vaultOf();
    const reveal = async () =>
      Promise.all(
        [ada, ben, ada, ben].map((person, at) => keys.reveal(person, texts[at % 2] as Ciphertext)),
      );
    expect(await reveal()).toEqual(['text', 'erased', 'text', 'erased']);
    expect(await reveal()).toEqual(['text', 'erased', 'text', 'erased']);
    expect(query).toHaveBeenCalledTimes(2);
    query.mockRestore();
  });

  it('that is created while others search for it is found at once by its creator', async () => {
    const person = randomUUID();
    const { pool } = kit.opened.kit;
    const { keys, vault } = vaultOf();
    const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>;
    const [missing, made] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = vi.spyOn(pool, 'query').mockImplementationOnce(async (...args: unknown[]) => {
      const found = await query(...args);
      missing.resolve();
      await made.promise;
      return found;
    });
    const looked = keys.keyOf(person);
    await missing.promise;
    await query(
      'insert into operational.person_keys (person_id, organization_id, sealed) values ($1, $2, $3)',
      [person, organizationId, sealedFor(person)],
    );
    const found = keys.keyOf(person);
    made.resolve();
    expect(await looked).toBeNull();
    expect(await found).toHaveLength(32);
    expect(await vault.personKey(person, organizationId)).toEqual(await found);
    slow.mockRestore();
  });

  it('is sealed in its table: no other master key and no other row opens it', async () => {
    const [ada, ben] = [randomUUID(), randomUUID()];
    const { vault } = vaultOf();
    const key = await vault.personKey(ada, organizationId);
    await vault.personKey(ben, organizationId);
    const { rows } = await kit.admin.query<{ sealed: Buffer }>(
      'select sealed from operational.person_keys where person_id = $1',
      [ada],
    );
    expect(rows[0]?.sealed.includes(Buffer.from(key))).toBe(false);
    await expect(vaultOf(testKey()).keys.keyOf(ada)).rejects.toThrow();
    await kit.admin.query(`update operational.person_keys set sealed = $2 where person_id = $1`, [
      ben,
      rows[0]?.sealed,
    ]);
    await expect(vaultOf().keys.keyOf(ben)).rejects.toThrow();
  });
});

describe('a password hash', () => {
  it('is kept sealed, and the newest counts', async () => {
    const user = randomUUID();
    const { vault } = vaultOf();
    expect(await vault.passwordHash(user)).toBeNull();
    await vault.keepPasswordHash(user, '$argon2id$first');
    await vault.keepPasswordHash(user, '$argon2id$second');
    expect(await vaultOf().vault.passwordHash(user)).toBe('$argon2id$second');
    const { rows } = await kit.admin.query<{ sealed: Buffer }>(
      'select sealed from operational.password_hashes where user_id = $1',
      [user],
    );
    expect(rows[0]?.sealed.includes('argon2id')).toBe(false);
  });

  it('does not open in the row of another person', async () => {
    const [ada, mallory] = [randomUUID(), randomUUID()];
    const { vault } = vaultOf();
    await vault.keepPasswordHash(mallory, '$argon2id$known to mallory');
    await kit.admin.query(
      `insert into operational.password_hashes (user_id, sealed)
       select $1, sealed from operational.password_hashes where user_id = $2`,
      [ada, mallory],
    );
    await expect(vault.passwordHash(ada)).rejects.toThrow();
  });
});
