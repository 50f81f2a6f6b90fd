import { createHmac, randomBytes } from 'node:crypto';
import { originOfHost } from '@tallyhand/contracts/features/tools/allowed-hosts';
import { isKeptOnRedirects } from '../guard/request-headers.ts';
import type { ScriptRequest } from './script-run.ts';

/** Placeholders for secrets. `nonce` is part of each, and new in each run. */
export type Placeholders = { readonly nonce: string; readonly secrets: Record<string, string> };

/** Random for each run, so that no input can contain a placeholder. */
export function placeholdersFor(secrets: Readonly<Record<string, string>>): Placeholders {
  const nonce = randomBytes(16).toString('hex');
  const entries = Object.keys(secrets).map((name) => [name, `{{secret:${name}:${nonce}}}`]);
  return { nonce, secrets: Object.fromEntries(entries) };
}

/** The value of an Authorization header whose password is filled in later. */
export function basicPlaceholder({ nonce }: Placeholders, username: string, password: string) {
  const pair = Buffer.from(JSON.stringify([username, password])).toString('base64url');
  return `Basic {{basic:${pair}:${nonce}}}`;
}

/** Filling in makes them up to a hundred times longer, in a process shared by all organizations. */
const HEADERS_WITH_SECRETS_MAX = 16_384;

type Vault = {
  readonly secrets: Readonly<Record<string, string>>;
  readonly placeholders: Placeholders;
};

/**
 * The request with its secrets: whole placeholders in header values, for allowed hosts only. Throws
 * an error for the script's author otherwise.
 */
export function filledRequest(
  request: ScriptRequest,
  vault: Vault,
  allowedHosts: readonly string[],
): ScriptRequest {
  const { nonce } = vault.placeholders;
  const { url, body = '', headers } = request;
  if ([url, body, ...Object.keys(headers)].some((text) => text.includes(nonce))) {
    throw new Error('Secrets are filled in only in the values of headers, not in URLs or bodies.');
  }
  const withSecrets = Object.values(headers).filter((value) => value.includes(nonce));
  if (withSecrets.join('').length > HEADERS_WITH_SECRETS_MAX) {
    throw new Error(`Headers with secrets can have ${HEADERS_WITH_SECRETS_MAX} characters.`);
  }
  const entries = Object.entries(headers).map(([name, value]): [string, string] => {
    if (/^basic /i.test(value) && decoded(value.slice('basic '.length)).includes(nonce)) {
      throw new Error('Use basicAuth(username, password) instead of btoa for secrets.');
    }
    if (!value.includes(nonce)) return [name, value];
    if (!isAllowed(url, allowedHosts)) {
      throw new Error(
        `${URL.parse(url)?.host ?? 'This address'} is not among the allowed hosts of this tool: its secrets are not sent there.`,
      );
    }
    if (isKeptOnRedirects(name)) throw new Error(`The header ${name} can't hold a secret.`);
    return [name, filled(value, vault)];
  });
  return { ...request, headers: Object.fromEntries(entries) };
}

function isAllowed(url: string, allowedHosts: readonly string[]): boolean {
  const origin = URL.parse(url)?.origin;
  return origin !== undefined && allowedHosts.some((host) => originOfHost(host) === origin);
}

const decoded = (base64: string) => Buffer.from(base64, 'base64').toString('latin1');

function filled(text: string, vault: Vault): string {
  const { nonce } = vault.placeholders;
  const withPairs = text.replace(/\{\{basic:([\w-]+):([0-9a-f]{32})\}\}/g, (whole, pair, given) =>
    given === nonce ? basicOf(pair, vault) : whole,
  );
  const full = Object.entries(vault.placeholders.secrets).reduce(
    (left, [name, placeholder]) => left.replaceAll(placeholder, () => vault.secrets[name] ?? ''),
    withPairs,
  );
  if (full.includes(nonce)) throw new Error('A secret must be used whole, as it is.');
  return full;
}

function basicOf(pair: string, vault: Vault): string {
  const [username, password] = JSON.parse(Buffer.from(pair, 'base64url').toString()).map(
    (text: unknown) => filled(String(text), vault),
  );
  if (username.includes(':')) throw new Error('A user name has no colon.');
  return Buffer.from(`${username}:${password}`).toString('base64');
}

const ALGORITHMS = ['sha1', 'sha256', 'sha384', 'sha512'] as const;
const KEY_ENCODINGS = {
  hex: /^(?:[0-9a-f]{2})+$/i,
  base64: /^(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/,
} as const;
const OUTPUTS = ['hex', 'base64', 'base64url'] as const;

/**
 * The HMAC of a text with a key that may contain secrets. The text may not: with a key that the
 * script knows, the HMAC would be a hash of the secret alone.
 */
export function hmacOf(
  { key, text, algorithm, keyEncoding, encoding }: Readonly<Record<string, unknown>>,
  vault: Vault,
): string {
  const { nonce, secrets } = vault.placeholders;
  if (typeof key !== 'string' || typeof text !== 'string') {
    throw new TypeError('hmac takes a key and a text.');
  }
  if (text.includes(nonce)) throw new RangeError("The text that is signed can't hold a secret.");
  const hash = oneOf(ALGORITHMS, algorithm, 'algorithm');
  const output = oneOf(OUTPUTS, encoding, 'encoding');
  if (keyEncoding === 'utf8') {
    return createHmac(hash, filled(key, vault)).update(text).digest(output);
  }
  const from = oneOf(['hex', 'base64'] as const, keyEncoding, 'keyEncoding');
  // Joined texts would shift the decoder's groups, and reveal the secret part by part.
  if (key.includes(nonce) && !Object.values(secrets).includes(key)) {
    throw new RangeError('An encoded key must be one secret, as it is.');
  }
  const full = filled(key, vault).trim();
  if (full === '' || !KEY_ENCODINGS[from].test(full)) {
    throw new RangeError(`The key is not written in ${from}.`);
  }
  return createHmac(hash, Buffer.from(full, from)).update(text).digest(output);
}

function oneOf<T extends string>(names: readonly T[], given: unknown, option: string): T {
  const known = names.find((name) => name === given);
  if (known === undefined) throw new RangeError(`${option} must be one of ${names.join(', ')}.`);
  return known;
}
