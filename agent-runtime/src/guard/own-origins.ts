import { networkInterfaces } from 'node:os';
import { canonicalAddress, parseAddress } from './addresses.ts';

const webPorts = [80, 443];

/** Whether a URL has the host and port of one of the product's origins. */
export function isOwnHost(ownOrigins: readonly string[], host: string, port: number): boolean {
  return ownOrigins.some((origin) => {
    const own = new URL(origin);
    const ports = webPorts.includes(portOf(own)) ? webPorts : [portOf(own)];
    return hostOf(own) === host && ports.includes(port);
  });
}

/**
 * Whether an address and port lead to the product: the address of one of its origins, or any
 * address of this machine at the port of an origin written as an address or as localhost, since the
 * product listens there.
 */
export function isOwnAddress(
  ownOrigins: readonly string[],
  address: string,
  port: number,
): boolean {
  return ownOrigins.some((origin) => {
    const own = new URL(origin);
    const host = hostOf(own);
    if (portOf(own) !== port) return false;
    if (canonicalAddress(host) === canonicalAddress(address)) return true;
    return (isLocal(host) || host === '0.0.0.0' || host === '::') && isOfThisMachine(address);
  });
}

/** The host of a URL without the brackets of version 6 addresses. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** The port of an http or https URL, the scheme's own when none is written. */
export function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

/** The name of every machine for itself, and the names below it. */
export function isLocalhost(name: string): boolean {
  return name === 'localhost' || name.endsWith('.localhost');
}

/** A name or an address by which no other machine reaches this one. */
export function isThisComputer(host: string): boolean {
  return isLocalhost(host) || isLoopback(host);
}

function isLocal(host: string): boolean {
  return isThisComputer(host) || interfaceAddresses().includes(host);
}

function isOfThisMachine(address: string): boolean {
  const canonical = canonicalAddress(address) ?? address;
  const isUnspecified = canonical === '0.0.0.0' || canonical === '0:0:0:0:0:0:0:0';
  return isUnspecified || isLoopback(address) || interfaceAddresses().includes(canonical);
}

function isLoopback(text: string): boolean {
  return parseAddress(text)?.range() === 'loopback';
}

function interfaceAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((one) => one ?? []);
  return all.map(({ address }) => canonicalAddress(address) ?? address);
}
