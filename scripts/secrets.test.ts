import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeSecrets } from './secrets.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'secrets-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const contents = () =>
  readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]);

describe('npm run secrets', () => {
  describe('for a cluster', () => {
    // Keys of certificates take seconds to make.
    const cluster = mkdtempSync(join(tmpdir(), 'secrets-of-cluster-'));
    const made = makeSecrets(cluster, { cluster: true });
    afterAll(() => rmSync(cluster, { recursive: true }));
    const read = (name: string) => readFileSync(join(cluster, name), 'utf8');

    it('makes files that only their owner reads, and keys of 32 bytes', () => {
      expect(readdirSync(cluster).toSorted()).toEqual(made.toSorted());
      const secret = made.filter((name) => !name.endsWith('.crt'));
      for (const name of secret) expect(statSync(join(cluster, name)).mode & 0o777).toBe(0o600);
      for (const name of ['master_key', 'signing_key', 'internal_token', 'postgres_password']) {
        expect(read(name)).toMatch(/^[\w-]{43}$/);
      }
      expect(read('migrate_database_url')).toContain(`:${read('postgres_password')}@`);
      expect(read('migrate_event_store_url')).toContain(`:${read('event_store_password')}@`);
    });

    it('makes three users, no two with the same password', () => {
      const names = ['migrate_event_store_url', 'event_store_url', 'event_store_reader_url'];
      const users = names.map((name) => new URL(read(name).replace(/,[^?]+/, '')));
      const expected = ['admin', 'tallyhand-writer', 'tallyhand-reader'];
      expect(users.map(({ username }) => username)).toEqual(expected);
      expect(new Set(users.map(({ password }) => password)).size).toBe(3);
    });
  });

  it('changes no existing row', () => {
    makeSecrets(folder, { cluster: false });
    writeFileSync(join(folder, 'smtp_url'), 'smtp://mail.example.com');
    const before = contents();
    expect(makeSecrets(folder, { cluster: false })).toEqual([]);
    expect(contents()).toEqual(before);
  });

  it('refuses a password without its address, and an address without its password', () => {
    makeSecrets(folder, { cluster: false });
    // Of one event store, which has no password.
    const other = /migrate_event_store_url is there/;
    expect(() => makeSecrets(folder, { cluster: true })).toThrow(other);
    rmSync(join(folder, 'migrate_database_url'));
    expect(() => makeSecrets(folder, { cluster: false })).toThrow(/postgres_password is there/);
  });
});
