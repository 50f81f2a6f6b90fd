import { OutboundRefused } from './outbound-errors.ts';

const token = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
/**
 * The characters that a header may contain: visible ones, spaces, tabs, and the upper half of
 * Latin-1.
 */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Set by the connection, never by a caller. */
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

/** Kept on a redirect to another origin; any other header may contain a secret. */
const harmlessHeaders = new Set([
  'accept',
  'accept-language',
  'content-language',
  'content-type',
  'if-modified-since',
  'if-none-match',
  'user-agent',
]);

/** Whether the connection sets this header. */
export function isConnectionHeader(name: string): boolean {
  return connectionHeaders.has(name.toLowerCase());
}

/**
 * The headers in lower case, without those that the connection sets. Throws OutboundRefused for
 * names and values that would end their line.
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

/** Whether a redirect to another origin keeps this header. */
export function isKeptOnRedirects(name: string): boolean {
  return harmlessHeaders.has(name.toLowerCase());
}

/** The headers that a redirect to another origin keeps. */
export function withoutSecrets(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => harmlessHeaders.has(name)));
}

/** The headers that remain when a redirect drops the body. */
export function withoutBody(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !name.startsWith('content-')),
  );
}
