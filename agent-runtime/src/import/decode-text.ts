export type Decoded = { text: string; encoding: string; isGuessed: boolean };

const marks: [string, number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** The declaration of the charset must be within this many bytes. */
const declarationBytesMax = 4096;

/**
 * The text of a file: by its byte order mark, else in the declared encoding, else as UTF-8 when it is
 * valid, else as Windows-1252, in which any byte means something.
 */
export function decodeText(bytes: Uint8Array, declared = ''): Decoded {
  const mark = byteOrderMark(bytes);
  if (mark) return { text: decode(bytes, mark, false), encoding: mark, isGuessed: false };
  const encoding = knownEncoding(declared);
  if (encoding && encoding !== 'utf-8') {
    return { text: decode(bytes, encoding, false), encoding, isGuessed: false };
  }
  try {
    return { text: decode(bytes, 'utf-8', true), encoding: 'utf-8', isGuessed: false };
  } catch {
    // A page that declares UTF-8 has a few broken bytes rather than another encoding.
    const fallback = encoding ?? 'windows-1252';
    return { text: decode(bytes, fallback, false), encoding: fallback, isGuessed: !encoding };
  }
}

/** The encoding of the byte order mark at the start, if any. */
export function byteOrderMark(bytes: Uint8Array): string | null {
  const found = marks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte));
  return found?.[0] ?? null;
}

/** The charset that an HTML page declares in its head, or an empty string. */
export function declaredCharset(bytes: Uint8Array): string {
  const head = decode(bytes.subarray(0, declarationBytesMax), 'latin1', false);
  const found =
    /<meta\s[^>]{0,200}?charset\s*=\s*["']?\s*([\w:.-]{1,40})/i.exec(head) ??
    /^\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([\w:.-]{1,40})/i.exec(head);
  const charset = found?.[1]?.toLowerCase() ?? '';
  // A declaration in ASCII bytes rules out UTF-16.
  return charset.startsWith('utf-16') ? 'utf-8' : charset;
}

function knownEncoding(label: string): string | null {
  try {
    return label === '' ? null : new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}

function decode(bytes: Uint8Array, encoding: string, isStrict: boolean): string {
  return new TextDecoder(encoding, { fatal: isStrict }).decode(bytes);
}
