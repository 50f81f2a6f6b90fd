import { isUtf8, opened, sha256 } from '../platform/node.ts';
import type { AuditRow } from './row.ts';

const FAULTS_MAX = 100;
/** Of a path in a sentence. */
const PATH_LENGTH_MAX = 100;
const PARTS = 5;
const SALT_BYTES = 16;

/**
 * Compares the plain texts of rows with their ciphertexts, which the leaves of the rows cover. Texts
 * without a key of their own are only counted.
 */
export class TextsFollower {
  readonly faults: string[] = [];
  #proved = 0;
  #keyless = 0;
  #hidden = 0;

  add(row: AuditRow): void {
    for (const [path, revealed] of Object.entries(row.revealed)) {
      const fault = this.#faultOf(ciphertextAt(row, path), revealed);
      if (fault && this.faults.length < FAULTS_MAX) {
        const place = JSON.stringify(path.slice(0, PATH_LENGTH_MAX));
        this.faults.push(`Row ${row.sequence}: the text of ${place} ${fault}.`);
      }
    }
  }

  #faultOf(ciphertext: unknown, revealed: AuditRow['revealed'][string]): string | null {
    if (typeof ciphertext !== 'string') return 'has no ciphertext in the row';
    const parts = ciphertext.split('.', PARTS + 1);
    const [header = ''] = parts;
    if (typeof revealed === 'object') {
      this.#proved += 1;
      const isRight = textIn(parts, revealed.key) === revealed.text;
      return isRight ? null : 'is not what was encrypted';
    }
    if (revealed === 'erased' || revealed === 'private') {
      this.#hidden += 1;
      return null;
    }
    if (header !== KEYLESS_HEADER) return 'has no key, so that it may be invented';
    this.#keyless += 1;
    return null;
  }

  summary(): string {
    const kinds = [
      `${this.#proved} plain texts are what was encrypted`,
      ...(this.#keyless > 0
        ? [`${this.#keyless} have no key of their own and are the word of the operator`]
        : []),
      ...(this.#hidden > 0 ? [`${this.#hidden} are erased or private`] : []),
    ];
    return `Personal texts: ${kinds.join('; ')}.`;
  }
}

function ciphertextAt({ data, sourceAddress }: AuditRow, path: string): unknown {
  if (path === 'sourceAddress') return sourceAddress;
  const [, name] = /^data\.(.*)$/s.exec(path) ?? [];
  return name !== undefined && Object.hasOwn(data, name) ? data[name] : undefined;
}

/** The header of a ciphertext under a person's key, which opens all of that person's texts. */
const KEYLESS_HEADER = base64urlOf('{"alg":"dir","enc":"A256GCM"}');

/**
 * The plain text of a compact JWE (RFC 7516, 7.1). Null if its header is another one than the product
 * writes, names another key, or the key does not open it.
 */
function textIn(parts: readonly string[], key: string): string | null {
  const [header = '', encrypted, iv = '', content = '', tag = ''] = parts;
  if (parts.length !== PARTS || encrypted !== '') return null;
  const keyBytes = bytesOf(key);
  // The salt can be anything, the rest of the header only this.
  const kid = kidIn(header);
  if (!kid?.subarray(SALT_BYTES).equals(sha256(keyBytes))) return null;
  const plain = opened({
    key: keyBytes,
    iv: bytesOf(iv),
    tag: bytesOf(tag),
    content: bytesOf(content),
    also: Buffer.from(header),
  });
  return plain && isUtf8(plain) ? plain.toString() : null;
}

const [BEFORE_KID, BEHIND_KID] = ['{"alg":"dir","enc":"A256GCM","kid":"', '"}'];
const HEADER_LENGTH_MAX = 200;

function kidIn(header: string): Buffer | null {
  if (header.length > HEADER_LENGTH_MAX) return null;
  const text = bytesOf(header).toString();
  const kid = text.slice(BEFORE_KID.length, -BEHIND_KID.length);
  const isRight = text === BEFORE_KID + kid + BEHIND_KID && /^[\w-]{64}$/.test(kid);
  return isRight ? bytesOf(kid) : null;
}

/** The Buffer of a page reads `base64` in either alphabet, but does not know `base64url`. */
function bytesOf(base64url: string): Buffer {
  return Buffer.from(base64url, 'base64');
}

function base64urlOf(text: string): string {
  return Buffer.from(text).toString('base64').replace(/=+$/, '');
}
