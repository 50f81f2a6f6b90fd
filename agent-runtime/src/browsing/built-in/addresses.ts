import { isIP } from 'node:net';

const full = /https?:\/\/[^\s<>"'“”«»]+/gi;
const ENDINGS =
  'com org net info biz io dev app ai eu edu gov shop store blog news co.uk org.uk ac.uk de fr es it nl ' +
  'be ch at pl se no dk fi pt uk us ca au nz jp';
const bare = new RegExp(
  `(?<![\\w@./:-])(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\\.)+(?:${ENDINGS.replaceAll('.', '\\.').replaceAll(' ', '|')})` +
    `(?![\\w-]|\\.\\w)(?:/[^\\s<>"'“”«»]*)?`,
  'gi',
);
const addressesMax = 20;
const tracking = /^(?:utm_\w+|gclid|fbclid|msclkid|mc_[a-z]+)$/i;
/** Names that are sold below these are of different owners. */
const sharedEndings = /^(?:co|com|org|net|gov|edu|ac|or|ne)$/;

/** The web addresses that a text names, in their order, each once. */
export function addressesIn(text: string): string[] {
  const found: { at: number; url: string }[] = [];
  for (const { 0: url, index: at } of text.matchAll(full)) found.push({ at, url });
  const rest = text.replace(full, (url) => ' '.repeat(url.length));
  for (const { 0: url, index: at } of rest.matchAll(bare))
    found.push({ at, url: `https://${url}` });
  const urls = found
    .sort((a, b) => a.at - b.at)
    .map(({ url }) => readAddress(url.replace(/[.,;:!?)\]}]+$/, '')))
    .filter((url) => url !== null);
  return [...new Set(urls)].slice(0, addressesMax);
}

/** A text without its addresses, and the words that only lead to them. */
export const withoutAddresses = (text: string): string =>
  text
    .replace(full, MARK)
    .replace(bare, MARK)
    .replace(LEADING, '')
    .replaceAll(MARK, ' ')
    .replace(/\s+/g, ' ')
    .trim();

const MARK = '\ue000';
const LEADING =
  /(?:\b(?:(?:look |see )?(?:at|on|from|in|under)|auf|unter|bei|von|sur|chez|dans|en|su|sul|op)\s*:?\s*)(?=\ue000)/gi;

function readAddress(url: string): string | null {
  const read = URL.parse(url);
  return read && /^https?:$/.test(read.protocol) && read.username === '' ? read.href : null;
}

/** Where a link of a page leads; null where it is no page of the web. */
export function target(href: string, page: string): string | null {
  const url = URL.parse(href, page);
  return url && readAddress(url.href);
}

/** The same for all addresses that show the same page. */
export function pageKey(address: string): string {
  const url = URL.parse(address);
  if (!url) return address;
  const kept = [...url.searchParams].filter(([name]) => !tracking.test(name));
  const query = new URLSearchParams(kept).toString();
  return `${url.host}${url.pathname.replace(/\/+$/, '')}${query && `?${query}`}`;
}

/** Whether both belong to whoever owns the name: `www.shop.example` and `shop.example` do. */
export function isSameSite(one: string, other: string): boolean {
  return siteOf(one) === siteOf(other);
}

export function siteOf(address: string): string {
  const url = URL.parse(address);
  if (!url) return address;
  const { hostname, host } = url;
  const labels = hostname.split('.');
  if (isIP(hostname.replace(/^\[|\]$/g, '')) !== 0 || labels.length < 3) return host;
  const isShared = labels.at(-1)?.length === 2 && sharedEndings.test(labels.at(-2) ?? '');
  return labels.slice(isShared ? -3 : -2).join('.');
}
