import { isIP } from 'node:net';

const inPath = '[^\\s<>"\'`“”‘’„‚«»‹›「」『』（）【】《》。、，；：！？…|]';
const full = new RegExp(`https?://${inPath}+`, 'gi');
const ENDINGS =
  'com org net info biz io dev app ai eu edu gov shop store blog news co.uk org.uk ac.uk de fr es it nl ' +
  'be ch at pl se no dk fi pt uk us ca au nz jp me tv cc cz gr hu ie il ro tr ua za ru kr cn tw in br ' +
  'mx ar cl co xyz online site tech cloud page link example test local internal lan';
const bare = new RegExp(
  `(?<![\\w@./:-])(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\\.)+(?:${ENDINGS.replaceAll('.', '\\.').replaceAll(' ', '|')})` +
    `(?![\\w-]|\\.\\w)(?::\\d{2,5})?(?:[/?#]${inPath}*)?`,
  'gi',
);
/** What is reached without a name of the public web: this machine, an address by numbers, a port. */
const local = new RegExp(
  '(?<![\\w@./:-])(?:localhost(?![\\w.-])|\\d{1,3}(?:\\.\\d{1,3}){3}(?![\\w.-])|[a-z][a-z0-9-]*(?=:\\d{2,5}/))' +
    `(?::\\d{2,5})?(?:[/?#]${inPath}*)?`,
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
  let rest = text.replace(full, (url) => ' '.repeat(url.length));
  for (const { 0: url, index: at } of rest.matchAll(bare)) {
    found.push({ at, url: `${/:\d/.test(url) ? 'http' : 'https'}://${url}` });
  }
  rest = rest.replace(bare, (url) => ' '.repeat(url.length));
  for (const { 0: url, index: at } of rest.matchAll(local))
    found.push({ at, url: `http://${url}` });
  const urls = found
    .sort((a, b) => a.at - b.at)
    .map(({ url }) => readAddress(trimmed(url)))
    .filter((url) => url !== null);
  return [...new Set(urls)].slice(0, addressesMax);
}

/**
 * Without the punctuation and the words that follow an address at once: languages without spaces
 * continue right behind it.
 */
function trimmed(url: string): string {
  const cut = url.search(GOES_ON);
  let kept = (cut === -1 ? url : url.slice(0, cut)).replace(/[.,;:!?*\]}>]+$/, '');
  while (/[).,;:!?]$/.test(kept) && !isBalanced(kept)) kept = kept.slice(0, -1);
  return kept;
}

const isBalanced = (url: string) =>
  !/[.,;:!?]$/.test(url) && url.split('(').length === url.split(')').length;
const GOES_ON =
  /(?<=[\x21-\x7e])(?:\p{Script=Hiragana}|并|和|的|上|页|网|然后|告|(?:의|를|을|에서?|으?로|와|과|은|는|이|가)(?=\s|$))|(?<=[\x21-\x2e\x30-\x3c\x3e-\x7e])[\p{Script=Han}\p{Script=Katakana}\p{Script=Hangul}]/u;

/** A text without its addresses, and the words that only lead to them. */
export const withoutAddresses = (text: string): string =>
  text
    .replace(full, marked)
    .replace(bare, marked)
    .replace(local, marked)
    .replace(LEADING, '')
    .replaceAll(MARK, ' ')
    .replace(/\s+/g, ' ')
    .trim();

const MARK = '\ue000';
/** What was taken for the address and does not belong to it stays. */
const marked = (url: string) => `${MARK}${url.slice(trimmed(url).length)}`;
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

/** Whether both belong to one owner: `www.shop.example` and `shop.example` do. */
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
