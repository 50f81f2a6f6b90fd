import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';
import { readPrivateKey } from './audit-bundle/signer.ts';
import type { TrustProxy } from './http/app.ts';
import { localMcpServersOf } from './local-mcp-servers.ts';
import { modelPricesOf } from './model-prices.ts';

/** Its message lists every fault of the settings, one a line. */
export class SettingsError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    const list = faults.map((fault) => `  - ${fault}`).join('\n');
    super(`Tallyhand can't start with these settings:\n${list}`);
    this.faults = faults;
  }
}

const trustedProxies = /^(true|false|\d{1,2}|[0-9a-f.:/]+(\s*,\s*[0-9a-f.:/]+)*)$/i;
const hostName = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;
const allowedHost = /^[^\s/,]+(\/\d{1,3})?(\s*,\s*[^\s/,]+(\/\d{1,3})?)*$/;
const sender = /^([^<>@\r\n]+<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/;
const emailAddress = /^[^\s<>@]+@[^\s<>@]+$/;
const EVENT_STORES = ['esdb:', 'esdb+discover:', 'kurrentdb:', 'kurrentdb+discover:'];
const levels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'];

const text = (isValid: (value: string) => boolean, rule: string) =>
  z.string().refine(isValid, rule);

const port = text(
  (value) => isNumberIn(value, 1, 65_535, /^\d+$/),
  'must be a whole number from 1 to 65535',
);
const host = text(
  (value) => isIP(value) > 0 || hostName.test(value),
  'must be an address or name, as 127.0.0.1',
);
const origin = text(isOrigin, 'must be an http(s) address without a path');
const postgres = text(isPostgres, 'must be an address as postgres://user:password@host:5432/name');
const eventStore = text(
  (value) => hasScheme(withOneHost(value), EVENT_STORES),
  'must be an address as esdb://host:2113?tls=true',
);
const key = text(
  (value) => /^[A-Za-z0-9_-]{43}$/.test(value),
  'must be 32 random bytes in base64url (43 letters, digits, - and _)',
);
const model = text((value) => /^\S+$/.test(value), 'must be the name of a model, without spaces');

/** Every setting of a process, with its rule. */
const rules = {
  PORT: port,
  HOST: host,
  INTERNAL_PORT: port,
  INTERNAL_HOST: host,
  DATA_DIR: z.string(),
  PUBLIC_URL: text(isOrigin, 'must be an address as https://tallyhand.example.com, without a path'),
  TRUST_PROXY: text(
    (value) => trustedProxies.test(value),
    'must be true, false, the number of proxies, or their addresses',
  ),
  EVENTSTORE_URL: eventStore,
  /** An administrator's address, for creating users; and that of the projectors' read-only user. */
  MIGRATE_EVENTSTORE_URL: eventStore,
  EVENTSTORE_READER_URL: eventStore,
  DATABASE_URL: postgres,
  MIGRATE_DATABASE_URL: postgres,
  /** The target of `npm run move`. */
  MOVE_EVENTSTORE_URL: eventStore,
  MOVE_DATABASE_URL: postgres,
  COMMAND_SERVICE_URL: origin,
  QUERY_SERVICE_URL: origin,
  BROWSER_RUNNER_URL: origin,
  MASTER_KEY: key,
  SIGNING_KEY: key,
  AUDIT_KEY: text(
    (value) => readPrivateKey(value) !== null,
    'must be an Ed25519 private key (PEM, PKCS #8)',
  ),
  /** Read again at each signature, so it is a path and not the contents. */
  AUDIT_KEY_FILE: text(isFile, 'must be the path of a file'),
  AUDIT_VAULT_ADDRESS: origin,
  AUDIT_VAULT_TOKEN: text(
    (value) => /^[\x21-\x7e]+$/.test(value),
    'must be a token without spaces',
  ),
  AUDIT_VAULT_MOUNT: text(
    (value) => /^[\w.-]+(\/[\w.-]+)*$/.test(value),
    'must be the path of the transit engine, as transit',
  ),
  AUDIT_VAULT_KEY_NAME: text(
    (value) => /^[\w.-]+$/.test(value),
    'must be the name of a key of the transit engine',
  ),
  BACKUP_PASSPHRASE: text((value) => value.length >= 12, 'must have 12 characters or more'),
  INTERNAL_TOKEN: text(
    (value) => /^[\x21-\x7e]{32,}$/.test(value),
    'must have 32 characters or more',
  ),
  OPENAI_API_KEY: text((value) => /^[\x21-\x7e]+$/.test(value), 'must be a key without spaces'),
  OPENAI_BASE_URL: text(
    (value) => hasScheme(value, ['http:', 'https:']),
    'must be an http(s) address',
  ),
  OPENAI_MODEL: model,
  OPENAI_EMBEDDING_MODEL: model,
  MCP_SERVERS: text(
    (value) => localMcpServersOf(value) !== null,
    'must be JSON, such as {"memory": {"command": "mcp-server-memory", "organizations": "*"}}',
  ),
  MODEL_CREDITS: text(
    (value) => modelPricesOf(value) !== null,
    'must be models with their credits from 1 to 1000, each once, as gpt-4.1=2, claude-opus-*=5',
  ),
  STRIPE_SECRET_KEY: text(
    (value) => /^(sk|rk)_[A-Za-z0-9_]+$/.test(value),
    'must be a secret or restricted key of Stripe, as sk_test_… or rk_live_…',
  ),
  STRIPE_WEBHOOK_SECRET: text(
    (value) => /^whsec_[\x21-\x7e]+$/.test(value),
    'must be the signing secret of a webhook at Stripe, as whsec_…',
  ),
  STRIPE_API_BASE: origin,
  GOOGLE_API_BASE: origin,
  /** The address of an authority as in RFC 3161, which stamps the newest audit checkpoints hourly. */
  TIMESTAMP_URL: text(
    (value) => hasScheme(value, ['http:', 'https:']),
    'must be an http(s) address, as https://timestamp.example.com',
  ),
  SMTP_URL: text(
    (value) => hasScheme(value, ['smtp:', 'smtps:']) && new URL(value).hostname !== '',
    'must be an address as smtp://user:password@mail.example.com:587, or smtps://…',
  ),
  MAIL_FROM: text(
    (value) => sender.test(value),
    'must be an email address, or a name and one as Tallyhand <tallyhand@example.com>',
  ),
  SUPPORT_EMAIL: text((value) => emailAddress.test(value), 'must be an email address'),
  SECURITY_CONTACT: text(
    (value) => emailAddress.test(value) || hasScheme(value, ['https:', 'mailto:']),
    'must be an email address, or an address as https://… or mailto:…',
  ),
  /** Where users of the product meet; the contact page links to it. */
  COMMUNITY_URL: text(
    (value) => hasScheme(value, ['http:', 'https:']),
    'must be an http(s) address, as https://forum.example.com',
  ),
  RATE_LIMIT_SCALE: text(
    (value) => isNumberIn(value, 0.001, 1_000_000, /^\d+(\.\d+)?$/),
    'must be a number above 0, as 1 or 2.5',
  ),
  LOG_LEVEL: text((value) => levels.includes(value), `must be one of ${levels.join(', ')}`),
  DRAIN_SECONDS: text(
    (value) => isNumberIn(value, 0, 600, /^\d+$/),
    'must be a whole number from 0 to 600',
  ),
  /** Further addresses of the product: no page of a session may open them. */
  OWN_ORIGINS: z.string(),
  BROWSER_SESSIONS: text(
    (value) => isNumberIn(value, 1, 32, /^\d+$/),
    'must be a whole number from 1 to 32',
  ),
  CHROMIUM_PATH: text(isFile, 'must be the path of a Chromium'),
  ALLOW_PRIVATE_HOSTS: text(
    (value) => allowedHost.test(value),
    'must be names, addresses or ranges, separated by commas',
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: text(
    isCollector,
    'must be an http(s) address without user, question mark or hash, as http://localhost:4318',
  ),
  /** The key of a hosted trace collector: a secret. */
  OTEL_EXPORTER_OTLP_HEADERS: text(
    (value) => headersOf(value) !== null,
    'must be names and values of headers, as api-key=secret,x-team=ops',
  ),
  OTEL_TRACES_SAMPLER_ARG: text(
    (value) => isNumberIn(value, 0, 1, /^\d(\.\d+)?$/),
    'must be a number from 0 to 1, as 0.1',
  ),
} satisfies Record<string, z.ZodType<string>>;

export type SettingName = keyof typeof rules;
/** The trimmed value; an empty setting counts as missing. */
export type Settings = Readonly<Partial<Record<SettingName, string>>>;

/** All that there are; docs/operations.md lists them. */
export const settingNames = Object.keys(rules) as readonly SettingName[];

/** Those that may be repeated in a message: no secret, and no address that may carry one. */
const OPEN: ReadonlySet<string> = new Set<SettingName>([
  'PORT',
  'HOST',
  'INTERNAL_PORT',
  'INTERNAL_HOST',
  'TRUST_PROXY',
  'RATE_LIMIT_SCALE',
  'LOG_LEVEL',
  'BROWSER_SESSIONS',
  'DRAIN_SECONDS',
  'OTEL_TRACES_SAMPLER_ARG',
  'MODEL_CREDITS',
  'AUDIT_VAULT_MOUNT',
  'AUDIT_VAULT_KEY_NAME',
]);

/**
 * Reads every setting from the environment, directly or from the file that `NAME_FILE` names, and
 * returns all faults at once as sentences. `needed`: required settings.
 */
export function readSettings(
  env: NodeJS.ProcessEnv,
  needed: readonly SettingName[] = [],
): { readonly settings: Settings; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const settings: Partial<Record<SettingName, string>> = {};
  for (const name of settingNames) {
    const value = givenOf(name, env, faults);
    if (!value) {
      if (needed.includes(name)) faults.push(`${name} is missing.`);
      continue;
    }
    settings[name] = value;
    const { error } = rules[name].safeParse(value);
    const shown = OPEN.has(name) ? `, not ${JSON.stringify(value)}` : '';
    for (const { message } of error?.issues ?? []) faults.push(`${name} ${message}${shown}.`);
  }
  return { settings, faults: [...faults, ...pairFaults(settings)] };
}

/** The same, where faults end the start. */
export function needSettings(env: NodeJS.ProcessEnv, needed: readonly SettingName[]): Settings {
  const { settings, faults } = readSettings(env, needed);
  if (faults.length > 0) throw new SettingsError(faults);
  return settings;
}

/** Their files are read later, and again. */
const KEPT_AS_FILES: ReadonlySet<string> = new Set<SettingName>(['AUDIT_KEY']);

/** Secrets of containers come as files. */
function givenOf(name: SettingName, env: NodeJS.ProcessEnv, faults: string[]): string | undefined {
  const direct = env[name]?.trim();
  const file = env[`${name}_FILE`]?.trim();
  if (KEPT_AS_FILES.has(name)) return direct;
  if (name === 'AUDIT_KEY_FILE' && direct && isEmptyFile(direct)) return undefined;
  if (!file) return direct;
  if (direct) {
    faults.push(`${name} and ${name}_FILE are both set; leave one of them out.`);
    return undefined;
  }
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    faults.push(`${name}_FILE names a file that can't be read (${code}).`);
    return undefined;
  }
}

function pairFaults(given: Settings): string[] {
  const faults: string[] = [];
  const pair = (name: SettingName, missing: SettingName) => {
    if (given[name] && !given[missing]) {
      faults.push(`${missing} is missing: with ${name} it must be set too.`);
    }
  };
  // One without the other would take payments that are never noticed, or none at all.
  pair('STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET');
  pair('STRIPE_WEBHOOK_SECRET', 'STRIPE_SECRET_KEY');
  // Mail without a sender is refused by most servers; a sender alone sends nothing.
  pair('SMTP_URL', 'MAIL_FROM');
  pair('MAIL_FROM', 'SMTP_URL');
  if (!given.MAIL_FROM) pair('SUPPORT_EMAIL', 'SMTP_URL');
  pair('AUDIT_VAULT_ADDRESS', 'AUDIT_VAULT_KEY_NAME');
  pair('AUDIT_VAULT_ADDRESS', 'AUDIT_VAULT_TOKEN');
  for (const name of ['AUDIT_VAULT_KEY_NAME', 'AUDIT_VAULT_TOKEN', 'AUDIT_VAULT_MOUNT'] as const) {
    pair(name, 'AUDIT_VAULT_ADDRESS');
  }
  const keys = (['AUDIT_KEY', 'AUDIT_KEY_FILE', 'AUDIT_VAULT_ADDRESS'] as const).filter(
    (name) => given[name],
  );
  if (keys.length > 1) {
    faults.push(`${keys.join(' and ')} are both set; leave one of them out.`);
  }
  // An administrator of the event store makes two users under any names.
  pair('MIGRATE_EVENTSTORE_URL', 'EVENTSTORE_URL');
  pair('MIGRATE_EVENTSTORE_URL', 'EVENTSTORE_READER_URL');
  return faults;
}

/** The name by which this machine reaches itself when it listens on `host`, ready for a URL. */
export function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost';
  return isIP(host) === 6 ? `[${host}]` : host;
}

/** A whole number trusts that many hops; otherwise addresses, all or none. */
export function trustProxyOf({ TRUST_PROXY: value = 'false' }: Settings): TrustProxy {
  if (value === 'false') return false;
  if (value === 'true') return true;
  return /^\d+$/.test(value) ? (_, hop) => hop < Number(value) : value;
}

function isNumberIn(value: string, min: number, max: number, form: RegExp): boolean {
  return form.test(value) && Number(value) >= min && Number(value) <= max;
}

function hasScheme(value: string, schemes: readonly string[]): boolean {
  return URL.canParse(value) && schemes.includes(new URL(value).protocol);
}

/** Only nodes of a cluster are separated by commas: the first represents all. */
function withOneHost(value: string): string {
  return value.replace(/^([a-z+]+:\/\/[^,/?]+)((?:,[^,/?@]+)+)/i, '$1');
}

function isOrigin(value: string): boolean {
  if (!hasScheme(value, ['http:', 'https:'])) return false;
  const { pathname, search, hash, username } = new URL(value);
  return pathname === '/' && !search && !hash && !username;
}

function isCollector(value: string): boolean {
  if (!hasScheme(value, ['http:', 'https:'])) return false;
  const { search, hash, username, password } = new URL(value);
  return !search && !hash && !username && !password;
}

/** As OpenTelemetry writes them: pairs with commas between, values encoded as in an address. */
export function headersOf(value: string): Readonly<Record<string, string>> | null {
  const pairs = value.split(',').map((pair) => /^\s*([\w-]+)=([\x21-\x7e ]+?)\s*$/.exec(pair));
  try {
    return Object.fromEntries(
      pairs.map((pair) => {
        if (!pair) throw new URIError('Not a name and a value');
        return [pair[1], decodeURIComponent(pair[2] ?? '')];
      }),
    );
  } catch {
    return null;
  }
}

function isPostgres(value: string): boolean {
  return hasScheme(value, ['postgres:', 'postgresql:']);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

/** As good as none, like an empty setting. */
function isEmptyFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.size === 0;
}

/** An expected reason not to start, outside the process; the message is for the operator. */
export class StartRefusal extends Error {}
