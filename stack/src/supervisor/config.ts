import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';

/** The settings that the supervisor uses itself; all others go to the application unchanged. */
export type Config = {
  port: number;
  host: string;
  /** Absolute. */
  dataDir: string;
  /** Without a slash at its end. */
  publicUrl: string;
  /** Undefined: the supervisor runs the embedded one. */
  eventStoreUrl: string | undefined;
  /** Undefined: the supervisor runs the embedded one. */
  databaseUrl: string | undefined;
  /** What is undefined is made at the first start and kept in the data folder. */
  masterKey: string | undefined;
  signingKey: string | undefined;
  internalToken: string | undefined;
};

/** Its message lists every fault of the settings, one a line. */
export class SettingsError extends Error {
  readonly faults: string[];

  constructor(faults: string[]) {
    const list = faults.map((fault) => `  - ${fault}`).join('\n');
    super(`Tallyhand can't start with these settings:\n${list}`);
    this.faults = faults;
  }
}

const trustedProxies = /^(true|false|\d{1,2}|[0-9a-f.:/]+(\s*,\s*[0-9a-f.:/]+)*)$/i;
const hostName = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;
const allowedHost = /^[^\s/,]+(\/\d{1,3})?(\s*,\s*[^\s/,]+(\/\d{1,3})?)*$/;
const sender = /^([^<>@\r\n]+<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/;
const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

const secretHint = 'must be 32 random bytes in base64url (43 letters, digits, - and _)';

const text = (isValid: (value: string) => boolean, rule: string) =>
  z.string().refine(isValid, rule).optional();

const settings = z.object({
  PORT: text((v) => isNumberIn(v, 1, 65_535, /^\d+$/), 'must be a whole number from 1 to 65535'),
  HOST: text((v) => isIP(v) > 0 || hostName.test(v), 'must be an address or name, as 127.0.0.1'),
  DATA_DIR: z.string().optional(),
  PUBLIC_URL: text(isOrigin, 'must be an address as https://tallyhand.example.com, without a path'),
  TRUST_PROXY: text(
    (v) => trustedProxies.test(v),
    'must be true, false, the number of proxies, or their addresses',
  ),
  EVENTSTORE_URL: text(
    (v) => hasScheme(v, ['esdb:', 'esdb+discover:', 'kurrentdb:', 'kurrentdb+discover:']),
    'must be an address as esdb://host:2113?tls=true',
  ),
  DATABASE_URL: text(isPostgres, 'must be an address as postgres://user:password@host:5432/name'),
  MIGRATE_DATABASE_URL: text(
    isPostgres,
    'must be an address as postgres://user:password@host:5432/name',
  ),
  MASTER_KEY: text(isKey, secretHint),
  SIGNING_KEY: text(isKey, secretHint),
  INTERNAL_TOKEN: text((v) => /^[\x21-\x7e]{32,}$/.test(v), 'must have 32 characters or more'),
  OPENAI_API_KEY: text((v) => /^[\x21-\x7e]+$/.test(v), 'must be a key without spaces'),
  OPENAI_BASE_URL: text((v) => hasScheme(v, ['http:', 'https:']), 'must be an http(s) address'),
  OPENAI_MODEL: text((v) => /^\S+$/.test(v), 'must be the name of a model, without spaces'),
  OPENAI_EMBEDDING_MODEL: text(
    (v) => /^\S+$/.test(v),
    'must be the name of a model, without spaces',
  ),
  STRIPE_SECRET_KEY: text(
    (v) => /^(sk|rk)_[A-Za-z0-9_]+$/.test(v),
    'must be a secret or restricted key of Stripe, as sk_test_… or rk_live_…',
  ),
  STRIPE_WEBHOOK_SECRET: text(
    (v) => /^whsec_[\x21-\x7e]+$/.test(v),
    'must be the signing secret of a webhook at Stripe, as whsec_…',
  ),
  STRIPE_API_BASE: text(isOrigin, 'must be an http(s) address without a path'),
  GOOGLE_API_BASE: text(isOrigin, 'must be an http(s) address without a path'),
  SMTP_URL: text(
    (v) => hasScheme(v, ['smtp:', 'smtps:']) && new URL(v).hostname !== '',
    'must be an address as smtp://user:password@mail.example.com:587, or smtps://…',
  ),
  MAIL_FROM: text(
    (v) => sender.test(v),
    'must be an e-mail address, or a name and one as Tallyhand <tallyhand@example.com>',
  ),
  SUPPORT_EMAIL: text((v) => /^[^\s<>@]+@[^\s<>@]+$/.test(v), 'must be an e-mail address'),
  RATE_LIMIT_SCALE: text(
    (v) => isNumberIn(v, 0.001, 1_000_000, /^\d+(\.\d+)?$/),
    'must be a number above 0, as 1 or 2.5',
  ),
  LOG_LEVEL: text((v) => levels.includes(v), `must be one of ${levels.join(', ')}`),
  BROWSER_SESSIONS: text(
    (v) => isNumberIn(v, 1, 32, /^\d+$/),
    'must be a whole number from 1 to 32',
  ),
  CHROMIUM_PATH: text((v) => existsSync(v), 'must be the path of a Chromium'),
  ALLOW_PRIVATE_HOSTS: text(
    (v) => allowedHost.test(v),
    'must be names, addresses or ranges, separated by commas',
  ),
});

/**
 * Checks all settings, makes the data folder, and derives what is not set. `baseDir` is where a
 * relative DATA_DIR starts. Throws a SettingsError that names every fault at once.
 */
export function deriveConfig(env: NodeJS.ProcessEnv, baseDir: string): Config {
  // An empty setting (`PORT= npm start`, an empty line of an env file) means its default.
  const given = Object.fromEntries(
    Object.keys(settings.shape).flatMap((name) => {
      const value = env[name]?.trim();
      return value ? [[name, value]] : [];
    }),
  );
  const parsed = settings.safeParse(given);
  const faults = (parsed.error?.issues ?? []).map(
    ({ path, message }) => `${path.join('.')} ${message}${shown(path[0], given)}.`,
  );
  faults.push(...stripeFaults(given));
  faults.push(...mailFaults(given));
  const dataDir = resolve(baseDir, given.DATA_DIR ?? 'data');
  const folderFault = makeFolder(dataDir);
  if (folderFault) faults.push(folderFault);
  if (!parsed.success || faults.length > 0) throw new SettingsError(faults);
  const { data } = parsed;
  const port = Number(data.PORT ?? 8080);
  const host = data.HOST ?? '127.0.0.1';
  return {
    port,
    host,
    dataDir,
    publicUrl: new URL(data.PUBLIC_URL ?? `http://${reachable(host)}:${port}`).origin,
    eventStoreUrl: data.EVENTSTORE_URL,
    databaseUrl: data.DATABASE_URL,
    masterKey: data.MASTER_KEY,
    signingKey: data.SIGNING_KEY,
    internalToken: data.INTERNAL_TOKEN,
  };
}

/** One without the other would take payments that are never noticed, or none at all. */
function stripeFaults(given: Record<string, string>): string[] {
  const { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: secret } = given;
  if (key && !secret) {
    return ['STRIPE_WEBHOOK_SECRET is missing: with STRIPE_SECRET_KEY it must be set too.'];
  }
  if (secret && !key) {
    return ['STRIPE_SECRET_KEY is missing: with STRIPE_WEBHOOK_SECRET it must be set too.'];
  }
  return [];
}

/** Mail without a sender is refused by most servers; a sender alone sends nothing. */
function mailFaults(given: Record<string, string>): string[] {
  const { SMTP_URL: server, MAIL_FROM: from, SUPPORT_EMAIL: support } = given;
  if (server && !from) return ['MAIL_FROM is missing: with SMTP_URL it must be set too.'];
  if (from && !server) return ['SMTP_URL is missing: with MAIL_FROM it must be set too.'];
  if (support && !server) return ['SMTP_URL is missing: with SUPPORT_EMAIL it must be set too.'];
  return [];
}

/** The name by which this machine reaches itself when it listens on `host`, ready for a URL. */
export function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** Secrets, and addresses that may carry a password, are never repeated. */
function shown(name: PropertyKey | undefined, given: Record<string, string>): string {
  const isOpen = [
    'PORT',
    'HOST',
    'TRUST_PROXY',
    'RATE_LIMIT_SCALE',
    'LOG_LEVEL',
    'BROWSER_SESSIONS',
  ];
  const value = given[String(name)];
  return value && isOpen.includes(String(name)) ? `, not ${JSON.stringify(value)}` : '';
}

function makeFolder(dataDir: string): string | undefined {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o755 });
    if (!statSync(dataDir).isDirectory()) return `DATA_DIR ${dataDir} is not a folder.`;
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' || code === 'ENOTDIR') {
      return `DATA_DIR ${dataDir} is not a folder: a file is in the way.`;
    }
    return `DATA_DIR ${dataDir} can't be written (${code}).`;
  }
}

function isNumberIn(value: string, min: number, max: number, form: RegExp): boolean {
  return form.test(value) && Number(value) >= min && Number(value) <= max;
}

function hasScheme(value: string, schemes: string[]): boolean {
  return URL.canParse(value) && schemes.includes(new URL(value).protocol);
}

function isOrigin(value: string): boolean {
  if (!hasScheme(value, ['http:', 'https:'])) return false;
  const { pathname, search, hash, username } = new URL(value);
  return pathname === '/' && !search && !hash && !username;
}

function isPostgres(value: string): boolean {
  return hasScheme(value, ['postgres:', 'postgresql:']);
}

function isKey(value: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(value);
}
