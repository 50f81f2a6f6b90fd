import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SettingsError } from '@tallyhand/service-kit/settings';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { deriveConfig } from './config.ts';

let baseDir: string;

beforeEach(() => {
  baseDir = mkdtempSync(join(tmpdir(), 'tallyhand-config-'));
});

afterEach(() => rmSync(baseDir, { recursive: true, force: true }));

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    deriveConfig(env, baseDir);
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.faults;
  }
}

describe('deriveConfig', () => {
  it('needs no setting at all', () => {
    expect(deriveConfig({}, baseDir)).toMatchObject({
      port: 8080,
      host: '127.0.0.1',
      dataDir: join(baseDir, 'data'),
      publicUrl: 'http://127.0.0.1:8080',
    });
  });

  it('treats an empty setting as missing', () => {
    expect(deriveConfig({ PORT: '', HOST: ' ' }, baseDir)).toMatchObject({ port: 8080 });
  });

  it('derives an address that a browser can open', () => {
    const urlOf = (HOST: string) => deriveConfig({ HOST, PORT: '81' }, baseDir).publicUrl;
    expect(urlOf('0.0.0.0')).toBe('http://localhost:81');
    expect(urlOf('::1')).toBe('http://[::1]:81');
    const given = { PUBLIC_URL: 'https://hands.example.com/' };
    expect(deriveConfig(given, baseDir).publicUrl).toBe('https://hands.example.com');
  });

  it('reports all faults together', () => {
    writeFileSync(join(baseDir, 'file'), '');
    const faults = faultsOf({
      PORT: '70000',
      HOST: 'http://x',
      DATA_DIR: 'file/data',
      PUBLIC_URL: 'ftp://x',
      TRUST_PROXY: 'perhaps',
      EVENTSTORE_URL: 'http://x',
      DATABASE_URL: 'mysql://x',
      MIGRATE_DATABASE_URL: 'x',
      MASTER_KEY: 'short',
      SIGNING_KEY: 'short',
      INTERNAL_TOKEN: 'short',
      OPENAI_API_KEY: 'a b',
      OPENAI_BASE_URL: 'x',
      OPENAI_MODEL: 'a b',
      OPENAI_EMBEDDING_MODEL: 'a b',
      STRIPE_SECRET_KEY: 'pk_test_1',
      STRIPE_WEBHOOK_SECRET: 'secret',
      STRIPE_API_BASE: 'http://127.0.0.1/v1',
      SMTP_URL: 'http://mail.example.com',
      MAIL_FROM: 'Tallyhand',
      SUPPORT_EMAIL: 'Support',
      SECURITY_CONTACT: 'http://example.com',
      COMMUNITY_URL: 'javascript:alert(1)',
      RATE_LIMIT_SCALE: '0',
      LOG_LEVEL: 'loud',
      ALLOW_PRIVATE_HOSTS: 'a,,b',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:secret@127.0.0.1:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'api-key',
      OTEL_TRACES_SAMPLER_ARG: '1.5',
    });
    expect(faults.map((fault) => fault.split(' ')[0]).toSorted()).toEqual([
      'ALLOW_PRIVATE_HOSTS',
      'COMMUNITY_URL',
      'DATABASE_URL',
      'DATA_DIR',
      'EVENTSTORE_URL',
      'HOST',
      'INTERNAL_TOKEN',
      'LOG_LEVEL',
      'MAIL_FROM',
      'MASTER_KEY',
      'MIGRATE_DATABASE_URL',
      'OPENAI_API_KEY',
      'OPENAI_BASE_URL',
      'OPENAI_EMBEDDING_MODEL',
      'OPENAI_MODEL',
      'OTEL_EXPORTER_OTLP_ENDPOINT',
      'OTEL_EXPORTER_OTLP_HEADERS',
      'OTEL_TRACES_SAMPLER_ARG',
      'PORT',
      'PUBLIC_URL',
      'RATE_LIMIT_SCALE',
      'SECURITY_CONTACT',
      'SIGNING_KEY',
      'SMTP_URL',
      'STRIPE_API_BASE',
      'STRIPE_SECRET_KEY',
      'STRIPE_WEBHOOK_SECRET',
      'SUPPORT_EMAIL',
      'TRUST_PROXY',
    ]);
  });

  it('never repeats a secret', () => {
    const [fault] = faultsOf({ MASTER_KEY: 'my-own-short-key' });
    expect(fault).toMatch(/^MASTER_KEY must be 32 random bytes/);
    expect(fault).not.toContain('my-own');
  });

  it('requires a sender with a mail server', () => {
    const SMTP_URL = 'smtps://user:secret@mail.example.com';
    const MAIL_FROM = 'Tallyhand <tallyhand@example.com>';
    expect(faultsOf({ SMTP_URL })).toEqual([
      'MAIL_FROM is missing: with SMTP_URL it must be set too.',
    ]);
    expect(faultsOf({ MAIL_FROM })).toEqual([
      'SMTP_URL is missing: with MAIL_FROM it must be set too.',
    ]);
    const SUPPORT_EMAIL = 'support@example.com';
    expect(faultsOf({ SUPPORT_EMAIL })).toEqual([
      'SMTP_URL is missing: with SUPPORT_EMAIL it must be set too.',
    ]);
    expect(faultsOf({ SMTP_URL, MAIL_FROM, SUPPORT_EMAIL })).toEqual([]);
    expect(faultsOf({ SMTP_URL, MAIL_FROM })).toEqual([]);
    expect(faultsOf({ SMTP_URL, MAIL_FROM: 'tallyhand@example.com' })).toEqual([]);
  });

  it("requires the webhook secret with Stripe's key", () => {
    const STRIPE_SECRET_KEY = 'sk_test_51abc';
    const STRIPE_WEBHOOK_SECRET = 'whsec_abc';
    expect(faultsOf({ STRIPE_SECRET_KEY })).toEqual([
      'STRIPE_WEBHOOK_SECRET is missing: with STRIPE_SECRET_KEY it must be set too.',
    ]);
    expect(faultsOf({ STRIPE_WEBHOOK_SECRET })).toEqual([
      'STRIPE_SECRET_KEY is missing: with STRIPE_WEBHOOK_SECRET it must be set too.',
    ]);
    const both = { STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET };
    expect(faultsOf({ ...both, STRIPE_API_BASE: 'http://127.0.0.1:12111' })).toEqual([]);
  });

  it('takes one audit key: a file, the key, or an external signer with all that it needs', () => {
    const vault = { AUDIT_VAULT_ADDRESS: 'http://127.0.0.1:8200', AUDIT_VAULT_TOKEN: 'hvs.x' };
    expect(faultsOf({ ...vault, AUDIT_VAULT_KEY_NAME: 'audit' })).toEqual([]);
    expect(faultsOf(vault)).toEqual([
      'AUDIT_VAULT_KEY_NAME is missing: with AUDIT_VAULT_ADDRESS it must be set too.',
    ]);
    expect(faultsOf({ AUDIT_KEY: 'text' })).toEqual([
      'AUDIT_KEY must be an Ed25519 private key (PEM, PKCS #8).',
    ]);
    expect(faultsOf({ AUDIT_KEY_FILE: '/nowhere/key.pem' })).toEqual([
      'AUDIT_KEY_FILE must be the path of a file.',
    ]);
    const file = fileURLToPath(import.meta.url);
    expect(faultsOf({ ...vault, AUDIT_VAULT_KEY_NAME: 'audit', AUDIT_KEY_FILE: file })).toEqual([
      'AUDIT_KEY_FILE and AUDIT_VAULT_ADDRESS are both set; leave one of them out.',
    ]);
  });

  it.each(['0', '-1', '65536', '1e3', '80.5', 'http'])('refuses %s as PORT', (PORT) => {
    expect(faultsOf({ PORT })).toEqual([
      `PORT must be a whole number from 1 to 65535, not "${PORT}".`,
    ]);
  });

  it.each([
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', '10.0.0.0/8, ::1'],
    ['EVENTSTORE_URL', 'esdb+discover://cluster.example.com:2113?tls=true'],
    ['DATABASE_URL', 'postgresql://user:word@host/name'],
    ['RATE_LIMIT_SCALE', '2.5'],
    ['ALLOW_PRIVATE_HOSTS', 'wiki.local,10.1.2.0/24'],
    ['SIGNING_KEY', 'A'.repeat(43)],
  ])('accepts %s=%s', (name, value) => {
    expect(faultsOf({ [name]: value })).toEqual([]);
  });
});
