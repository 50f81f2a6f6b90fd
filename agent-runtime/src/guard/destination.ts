import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { orAborted } from '../or-aborted.ts';
import { isPublicAddress } from './addresses.ts';
import { type AllowedHost, isAllowedAddress, isAllowedName } from './allowed-hosts.ts';
import { failureOf, type OnOutbound, OutboundRefused, outboundFailure } from './outbound-errors.ts';
import { hostOf, isLocalhost, isOwnAddress, isOwnHost, portOf } from './own-origins.ts';

/** All addresses of a name, versions 4 and 6, as text. */
export type Resolve = (name: string) => Promise<string[]>;

/** The private hosts that outbound requests may reach, and the hosts that they never may. */
export type OutboundPolicy = {
  /**
   * The product's own addresses, public and listening: `https://app.example`,
   * `http://0.0.0.0:3000`.
   */
  ownOrigins: readonly string[];
  /** Private hosts that the operator allows. */
  allowedHosts: readonly AllowedHost[];
  /** The system's resolver when absent. */
  resolve?: Resolve;
  /** Called with the outcome of each request; must not throw. */
  onOutbound?: OnOutbound;
};

/** An address that passed the check; a socket may connect to it only. */
export type CheckedAddress = { address: string; family: 4 | 6 };

const nameLengthMax = 253;
const addressesTriedMax = 8;
const nameForm = /^(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*$/;
const endsInNumber = /(^|\.)(\d+|0x[0-9a-f]*)$/;

/**
 * Parses a URL that may be requested; `base` is the source of a redirect. Throws OutboundRefused
 * for schemes other than http and https, for user info, and for misleading forms of hosts.
 */
export function readUrl(text: string, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url === null) throw new OutboundRefused('url', 'The address is not a valid URL.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OutboundRefused('scheme', 'Only http and https addresses can be requested.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutboundRefused('user-info', 'The address must not contain a user name or password.');
  }
  // The parser has canonicalized decimal, octal and encoded forms. Written so, they hide their
  // destination from readers and filters.
  const written = /^\s*(?:[a-z][a-z0-9+.-]*:[/\\]*|[/\\]{2,})([^/\\?#]*)/i.exec(text)?.[1];
  if (written !== undefined && isIP(url.hostname) === 4) {
    if (written.replace(/:\d*$/, '') !== url.hostname) refuseHostForm();
  }
  url.hash = '';
  return url;
}

/** The addresses that a request to this URL may connect to; errors as `guardedLookup`. */
export async function addressesOf(
  url: URL,
  policy: OutboundPolicy,
  signal: AbortSignal,
): Promise<CheckedAddress[]> {
  return await guardedLookup(hostOf(url), portOf(url), policy, signal);
}

/**
 * Resolves a host once and returns the addresses that a socket may connect to. For sockets other
 * than HTTP: connect to a returned address, never to the name, and use the name as the TLS server
 * name. Throws OutboundRefused when any address is private or the product's own, OutboundFailed
 * when the name can't be resolved, and the signal's reason when it is aborted.
 */
export async function guardedLookup(
  host: string,
  port: number,
  policy: OutboundPolicy,
  signal?: AbortSignal,
): Promise<CheckedAddress[]> {
  signal?.throwIfAborted();
  const name = readHost(host);
  if (isOwnHost(policy.ownOrigins, name, port)) refuseOwn();
  const addresses = await resolved(name, policy, signal);
  const isAllowed = isAllowedName(policy.allowedHosts, name, port);
  for (const address of addresses) {
    if (isOwnAddress(policy.ownOrigins, address, port)) refuseOwn();
    if (isAllowed || isPublicAddress(address)) continue;
    if (isAllowedAddress(policy.allowedHosts, address, port)) continue;
    throw new OutboundRefused('private-address', `${name} leads to a private address.`);
  }
  const tried = addresses.slice(0, addressesTriedMax);
  return tried.map((address) => ({ address, family: isIP(address) === 4 ? 4 : 6 }));
}

/** The canonical form of a host, for comparisons: an address, or a name in lower-case ASCII. */
function readHost(host: string): string {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) !== 0) return bare.toLowerCase();
  // The conversion would silently cut the host at such characters.
  const name = /[\s/\\?#@:%]/.test(bare) ? '' : domainToASCII(bare);
  const isName = nameForm.test(name) && name.length <= nameLengthMax && !endsInNumber.test(name);
  return isName ? name : refuseHostForm();
}

async function resolved(
  name: string,
  { resolve = systemResolve }: OutboundPolicy,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  if (isIP(name) !== 0) return [name];
  if (isLocalhost(name)) return ['127.0.0.1', '::1'];
  try {
    const addresses = await orAborted(resolve(name), signal);
    const usable = addresses.filter((address) => isIP(address) !== 0);
    if (usable.length === 0) throw outboundFailure('dns', name);
    return usable;
  } catch (error) {
    signal?.throwIfAborted();
    const failure = failureOf(error, name);
    throw failure instanceof OutboundRefused || failure.kind === 'dns'
      ? failure
      : outboundFailure('dns', name);
  }
}

async function systemResolve(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true, order: 'ipv4first' });
  return found.map(({ address }) => address);
}

function refuseHostForm(): never {
  throw new OutboundRefused('host-form', 'The host must be a plain name or address.');
}

function refuseOwn(): never {
  throw new OutboundRefused('own-origin', 'Requests to this service itself are not made.');
}
