import { Id } from '@tallyhand/contracts/kernel/ids';
import { z } from 'zod';
import { canonicalJson } from '../crypto/hash-chain.ts';
import { sha256 } from '../platform/node.ts';
import { leafHash } from './merkle.ts';

type JsonObject = { readonly [key: string]: unknown };

// In CSV, empty text would be the same as null, and a row has to stay on one line.
const Text = z.string().regex(/^[^\r\n]+$/, 'Must be one line of text');

/** 32 bytes as base64url. */
const TextKey = z.string().regex(/^[\w-]{42}[AEIMQUYcgkosw048]$/);

/** A plain text and the key of its ciphertext. */
const ProvedText = z.strictObject({ text: z.string(), key: TextKey });

/** An exported row of an organization's audit log. */
export const AuditRow = z.strictObject({
  /** Dense from 1 in each organization. */
  sequence: z.int().min(1),
  eventId: Id,
  type: Text,
  schemaVersion: z.int().min(1),
  stream: Text,
  /** As `Date.toISOString` writes it: another text of the same moment has another hash. */
  at: z.iso.datetime({ precision: 3 }),
  actor: z.strictObject({ kind: Text, id: Text.nullable(), signInId: Id.nullable() }),
  correlationId: Text,
  causationId: Text.nullable(),
  commandId: Id,
  /** The event's data as stored: personal data is ciphertext. */
  data: z.custom<JsonObject>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'Must be an object',
  ),
  /** The caller's network address as ciphertext. */
  sourceAddress: Text.nullable(),
  /**
   * Personal values by path: a plain text with its key, `erased` or `private`. Older texts have no
   * key and stand alone. Not part of the hash: it changes when a person is erased, and the rows must
   * stay the same.
   */
  revealed: z.record(z.string(), z.union([z.string(), ProvedText])),
});
export type AuditRow = z.infer<typeof AuditRow>;

/** The revealed values of a row, from the plain texts and the keys by path. */
export function provedTexts(
  texts: Readonly<Record<string, string>>,
  keys: Readonly<Record<string, string>>,
): AuditRow['revealed'] {
  const revealed: AuditRow['revealed'] = {};
  for (const [path, text] of Object.entries(texts)) {
    const key = keys[path];
    revealed[path] = key === undefined ? text : { text, key };
  }
  return revealed;
}

/** A row, with or without the parts outside the hash. */
export type HashedRow = Omit<AuditRow, 'revealed'> & { readonly revealed?: unknown };

/** The text whose hash is the row's leaf: canonical JSON of everything except `revealed`. */
export function hashedText({ revealed: _, ...row }: HashedRow): string {
  return canonicalJson(row);
}

/** The row's leaf in the Merkle tree of its organization's audit log (RFC 6962). */
export function leafOf(row: HashedRow): Buffer {
  return leafHash(Buffer.from(hashedText(row)));
}

/** The hash of a row's `revealed`, so that a change in it is detected, too. */
export function revealedHash({ revealed }: AuditRow): Buffer {
  return sha256(canonicalJson(revealed));
}
