import type ipaddr from 'ipaddr.js';
import { parseAddress } from './addresses.ts';

/** An entry of the operator's list: a name or addresses, and a port (any when absent). */
export type AllowedHost = { port: number | undefined } & (
  | { name: string }
  | { range: [ipaddr.IPv4 | ipaddr.IPv6, number] }
);

/**
 * Parses ALLOW_PRIVATE_HOSTS: names, addresses and ranges separated by commas, each with an
 * optional port (`wiki.local`, `10.1.2.3:8080`, `10.0.0.0/8`, `[fd00::/8]:443`, `::1`). Throws an
 * Error that names the invalid entry.
 */
export function parseAllowedHosts(text: string): AllowedHost[] {
  const entries = text.split(',').map((entry) => entry.trim());
  return entries.filter((entry) => entry !== '').map(parseEntry);
}

function parseEntry(entry: string): AllowedHost {
  const [host, port] = splitPort(entry);
  if (host !== undefined) {
    const range = parseRange(host);
    if (range !== undefined) return { range, port };
    if (nameForm.test(host)) return { name: host.toLowerCase(), port };
  }
  throw new Error(`"${entry}" is not a name, an address or a range, with or without a port.`);
}

const nameForm =
  /^(?=.*[a-z])[a-z0-9_]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9])?)*$/i;

function splitPort(entry: string): [string | undefined, number | undefined] {
  // Several colons without brackets are an address of version 6, without a port.
  const match = /^\[([^\]]+)\](?::(\d{1,5}))?$/.exec(entry) ?? /^([^:]+):(\d{1,5})$/.exec(entry);
  if (match === null) return [entry, undefined];
  const port = match[2] === undefined ? undefined : Number(match[2]);
  return port === 0 || (port ?? 1) > 65_535 ? [undefined, undefined] : [match[1], port];
}

function parseRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | undefined {
  const [base = '', bits, ...rest] = text.split('/');
  const address = parseAddress(base);
  if (address === undefined || rest.length > 0) return undefined;
  const bitsMax = address.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) return [address, bitsMax];
  const isLength = /^\d{1,3}$/.test(bits) && Number(bits) <= bitsMax;
  return isLength ? [address, Number(bits)] : undefined;
}

/** Whether the operator allows requests to this name, whatever it resolves to. */
export function isAllowedName(hosts: readonly AllowedHost[], name: string, port: number): boolean {
  return hosts.some((host) => 'name' in host && host.name === name && hasPort(host, port));
}

/** Whether the operator allows requests to this address. */
export function isAllowedAddress(
  hosts: readonly AllowedHost[],
  address: string,
  port: number,
): boolean {
  const parsed = parseAddress(address);
  if (parsed === undefined) return false;
  return hosts.some(
    (host) =>
      'range' in host &&
      host.range[0].kind() === parsed.kind() &&
      parsed.match(host.range) &&
      hasPort(host, port),
  );
}

function hasPort(host: AllowedHost, port: number): boolean {
  return host.port === undefined || host.port === port;
}
