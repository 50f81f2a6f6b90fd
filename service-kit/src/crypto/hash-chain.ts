import type { Link } from '@tallyhand/contracts/kernel/envelope';
import { sha256Hex } from '../platform/node.ts';

/** JSON with sorted keys and no spaces, so that equal values have equal text. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map((v) => canonicalJson(v ?? null)).join(',')}]`;
  const object = value as Readonly<Record<string, unknown>>;
  // Built up in place: lists of entries cost a busy ledger as much time again.
  let members = '';
  for (const key of Object.keys(object).sort()) {
    const member = object[key];
    if (member === undefined) continue;
    members += `${members === '' ? '' : ','}${quoted(key)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

const QUOTED_MAX = 1_000;
const QUOTED_LENGTH_MAX = 40;
const quotedKeys = new Map<string, string>();

/** Keys are few and repeat; unique keys of data do not push them out. */
function quoted(key: string): string {
  const known = quotedKeys.get(key);
  if (known !== undefined) return known;
  const text = JSON.stringify(key);
  const isKept = quotedKeys.size < QUOTED_MAX && key.length <= QUOTED_LENGTH_MAX;
  if (isKept) quotedKeys.set(key, text);
  return text;
}

/** What a link's hash covers, besides the hash of the link before it. */
export type Linkable = {
  readonly id: string;
  readonly type: string;
  readonly data: unknown;
  readonly envelope: object;
};

type Linked = Omit<Linkable, 'envelope'> & {
  readonly envelope: { readonly link?: Link | undefined; readonly [key: string]: unknown };
};

/** SHA-256 (hex) over the event whole and `prev`, the hash of the event before it. */
export function linkHash(prev: string, { id, type, data, envelope }: Linkable): string {
  return sha256Hex(canonicalJson({ id, type, data, envelope, prev }));
}

/** Whether a stored event is the correct next link after `prev`. */
export function isNextLink(prev: string, { id, type, data, envelope }: Linked): boolean {
  const { link, ...rest } = envelope;
  return link?.prev === prev && link.hash === linkHash(prev, { id, type, data, envelope: rest });
}
