/** Replaces a secret. */
export const secretMark = '[secret]';

/** Shorter ones would mask ordinary words. */
const secretLengthMin = 4;

/**
 * Makes a function that masks these secrets in a text, in every encoding: plain, URL-encoded, as a
 * JSON or HTML string, in hexadecimal and in base64, also inside longer encoded text. Secrets of
 * fewer than 4 characters stay.
 */
export function secretMask(secrets: readonly string[]): (text: string) => string {
  const forms = [...new Set(secrets.filter(isLongEnough).flatMap(formsOf))]
    .filter(isLongEnough)
    // The longest first: otherwise the rest of a longer form would stay.
    .sort((one, other) => other.length - one.length);
  return (text) => forms.reduce((masked, form) => masked.replaceAll(form, secretMark), text);
}

/** The length of the longest form of these secrets: how much a cut can hide from the mask. */
export function longestForm(secrets: readonly string[]): number {
  // The longest is base64 of a character that is three escaped bytes in a URL.
  return 12 * Math.max(0, ...secrets.map((secret) => secret.length));
}

function isLongEnough(text: string): boolean {
  return text.length >= secretLengthMin;
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret.toWellFormed());
  const url = encodeURIComponent(secret.toWellFormed());
  const query = new URLSearchParams([['', secret]]).toString().slice(1);
  const allEscaped = [...bytes].map((byte) => `%${hexOf(byte)}`).join('');
  const percent = [url, strictly(url), query, url.replaceAll('%20', '+'), allEscaped];
  const json = JSON.stringify(secret).slice(1, -1);
  const ascii = json.replace(/[^\x20-\x7e]/g, unicodeEscape);
  const written = [secret, json, json.replaceAll('/', '\\/'), ascii, ...htmlForms(secret)];
  const hex = bytes.toString('hex');
  const coded = [...percent, ...percent.map(lowerEscapes), hex, hex.toUpperCase()];
  // An echo is often a request in JSON, and that in base64.
  const base64 = [secret, json, url, query].flatMap((form) => base64Forms(Buffer.from(form)));
  return [...written, ...coded, ...base64];
}

/** Leaves nothing unescaped but what RFC 3986 calls unreserved. */
function strictly(url: string): string {
  return url.replace(/[!'()*]/g, (char) => `%${hexOf(char.charCodeAt(0))}`);
}

function lowerEscapes(url: string): string {
  return url.replace(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase());
}

function hexOf(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, '0');
}

function unicodeEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function htmlForms(secret: string): string[] {
  const html = secret
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
  return [html, html.replaceAll("'", '&#39;'), html.replaceAll("'", '&#x27;')];
}

/**
 * The bytes inside any base64 text: three forms, by their offset in a group of three. The
 * characters at both ends, which also encode neighboring bytes, are left out.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const coded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64url');
    const sharedAtStart = [0, 2, 3][before] ?? 0;
    const sharedAtEnd = (before + bytes.length) % 3 === 0 ? 0 : 1;
    const own = coded.slice(sharedAtStart, coded.length - sharedAtEnd);
    return [own, own.replaceAll('-', '+').replaceAll('_', '/')];
  });
}
