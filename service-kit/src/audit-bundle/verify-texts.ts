import { isUtf8, opened } from '../platform/node.ts';
import type { AuditRow } from './row.ts';

const FAULTS_MAX = 1_000;
const GCM_HEADER = { alg: 'dir', enc: 'A256GCM' };

/**
 * Compares the plain texts of rows with their ciphertexts, which the leaves of the rows cover. Texts
 * from before each had its own key are only counted.
 */
export class TextsFollower {
  readonly faults: string[] = [];
  #proved = 0;
  #unproved = 0;

  add(row: AuditRow): void {
    for (const [path, revealed] of Object.entries(row.revealed)) {
      const fault = this.#faultOf(ciphertextAt(row, path), revealed);
      if (fault && this.faults.length < FAULTS_MAX) {
        this.faults.push(`Row ${row.sequence}: the text of ${path} ${fault}.`);
      }
    }
  }

  #faultOf(ciphertext: unknown, revealed: AuditRow['revealed'][string]): string | null {
    if (typeof ciphertext !== 'string') return 'has no ciphertext in the row';
    const jwe = jweIn(ciphertext);
    if (typeof revealed === 'object') {
      this.#proved += 1;
      const isRight = jwe && textIn(jwe, revealed.key) === revealed.text;
      return isRight ? null : 'is not what was encrypted';
    }
    if (revealed === 'erased' || revealed === 'private') return null;
    if (jwe?.hasOwnKey) return 'has no key, so that it may be invented';
    this.#unproved += 1;
    return null;
  }

  summary(): string {
    if (this.#unproved === 0) return `All ${this.#proved} plain texts are what was encrypted.`;
    return (
      `${this.#proved} plain texts are what was encrypted. ${this.#unproved} are older than the ` +
      'keys of single texts: they are the word of the operator.'
    );
  }
}

function ciphertextAt({ data, sourceAddress }: AuditRow, path: string): unknown {
  if (path === 'sourceAddress') return sourceAddress;
  const [, name] = /^data\.(.*)$/s.exec(path) ?? [];
  return name !== undefined && Object.hasOwn(data, name) ? data[name] : undefined;
}

type Jwe = {
  /** False if the person's own key encrypted it, which is not given away. */
  readonly hasOwnKey: boolean;
  readonly header: string;
  readonly iv: Buffer;
  readonly content: Buffer;
  readonly tag: Buffer;
};

/** The parts of a compact JWE (RFC 7516, 7.1); null for another text. */
function jweIn(text: string): Jwe | null {
  const [header = '', , iv = '', content = '', tag = '', ...more] = text.split('.');
  if (more.length > 0) return null;
  try {
    const { alg, enc, kid } = JSON.parse(bytesOf(header).toString()) as Record<string, unknown>;
    if (alg !== GCM_HEADER.alg || enc !== GCM_HEADER.enc) return null;
    return {
      hasOwnKey: kid !== undefined,
      header,
      iv: bytesOf(iv),
      content: bytesOf(content),
      tag: bytesOf(tag),
    };
  } catch {
    return null;
  }
}

function textIn({ header, iv, content, tag }: Jwe, key: string): string | null {
  const plain = opened({ key: bytesOf(key), iv, tag, content, also: Buffer.from(header) });
  return plain && isUtf8(plain) ? plain.toString() : null;
}

/** The Buffer of a page knows `base64`, which may be written in either alphabet, but not `base64url`. */
const bytesOf = (base64url: string): Buffer => Buffer.from(base64url, 'base64');
