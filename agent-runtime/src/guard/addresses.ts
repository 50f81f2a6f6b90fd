import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range<Kind extends Address> = [Kind, number];

const v4 = (range: string): Range<ipaddr.IPv4> => ipaddr.IPv4.parseCIDR(range);
const v6 = (range: string): Range<ipaddr.IPv6> => ipaddr.IPv6.parseCIDR(range);

/** IANA's special-purpose registry, and one metadata service that hides among public addresses. */
const specialV4 = [
  '0.0.0.0/8', // this network; 0.0.0.0 reaches this machine
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT, and metadata services
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // metadata service
  '169.254.0.0/16', // link-local, and metadata services
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments, and metadata services
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
].map(v4);

/** All global unicast addresses; unique local, link-local and the like are not in it. */
const globalV6 = v6('2000::/3');

const specialV6 = [
  '2001::/23', // protocol assignments, Teredo among them
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: reaches whatever version 4 address it holds
  '3fff::/20', // documentation
].map(v6);

/** The forms with a version 4 address in their last four bytes. */
const nat64 = v6('64:ff9b::/96');

/**
 * Whether an address (canonical text, as resolvers return it) is public. Special addresses are not:
 * loopback, private, link-local, shared, multicast, reserved, unspecified, documentation, metadata
 * services, and forms that contain one of these. Other text is not public either.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parseAddress(address);
  if (parsed === undefined) return false;
  if (parsed instanceof ipaddr.IPv4) return !specialV4.some((range) => parsed.match(range));
  if (parsed.match(nat64)) return isPublicAddress(lastFourBytes(parsed));
  return parsed.match(globalV6) && !specialV6.some((range) => parsed.match(range));
}

/** An address as an object, version 4 taken out of its mapped form; undefined for other text. */
export function parseAddress(text: string): Address | undefined {
  // The library's parser would accept short, octal and hexadecimal forms too.
  if (isIP(text) === 0) return undefined;
  return ipaddr.process(text);
}

/** The canonical spelling of an address, for comparisons; undefined for other text. */
export function canonicalAddress(text: string): string | undefined {
  return parseAddress(text)?.toNormalizedString();
}

function lastFourBytes(address: ipaddr.IPv6): string {
  return address.toByteArray().slice(-4).join('.');
}
