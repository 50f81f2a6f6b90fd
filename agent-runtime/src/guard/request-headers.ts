import { OutboundRefused } from './outbound-errors.ts';

const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
/** Visible characters, spaces and tabs, and the upper half of Latin-1: what a header may hold. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** What the connection decides, never a caller. */
const connectionHeaders = new Set([
  'accept-encoding',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What may go along to another origin; any other header may hold a secret. */
const harmlessHeaders = new Set([
  'accept',
  'accept-language',
  'content-language',
  'content-type',
  'if-modified-since',
  'if-none-match',
  'user-agent',
]);

/** Whether this is a header that the connection decides. */
export function isConnectionHeader(name: string): boolean {
  return connectionHeaders.has(name.toLowerCase());
}

/**
 * The headers in lower case, without those that the connection decides. Throws OutboundRefused for
 * names and values that would break out of their line.
 */
export function readHeaders(given: Record<string, string>): Record<string, string> {
  const entries = Object.entries(given).map(([name, value]): [string, string] => [
    name.toLowerCase(),
    value,
  ]);
  for (const [name, value] of entries) {
    if (!token.test(name) || !headerValue.test(value)) {
      throw new OutboundRefused('header', 'A header of the request has characters not allowed.');
    }
  }
  return Object.fromEntries(entries.filter(([name]) => !connectionHeaders.has(name)));
}

/** Whether a redirect to another origin takes this header along. */
export function isKeptOnRedirects(name: string): boolean {
  return harmlessHeaders.has(name.toLowerCase());
}

/** The headers that a redirect to another origin keeps. */
export function withoutSecrets(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => harmlessHeaders.has(name)));
}

/** The headers that a request keeps when a redirect has taken its body away. */
export function withoutBody(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith('content-')),
  );
}
