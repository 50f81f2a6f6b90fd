import type { AuditEntry } from '@tallyhand/contracts/features/audit/audit.endpoints';

type Changes = AuditEntry['changes'];
type Values = Readonly<Record<string, Changes[number]['after']>>;

/** An entry as stored: with changes if they are known, otherwise with the event's values. */
export type StoredEntry = Omit<AuditEntry, 'changes'> & {
  readonly changes: Changes | null;
  /** `revealed` has decrypted texts by path, such as `data.email`. */
  readonly values: { readonly data: Values; readonly revealed: Values } | null;
};

const REVEALED = 'data.';
/** The organization is the caller's own; keys would decrypt ciphertexts. */
const HIDDEN = new Set(['organizationId', 'emailKey', 'previousEmailKey', 'contentKey']);

export function entryOf({ values, ...entry }: StoredEntry): AuditEntry {
  const changes = entry.changes ?? (values ? changesOf(values, entry.object.id) : []);
  return { ...entry, changes };
}

/** The values of an event, without empty ones and without the object's id. */
function changesOf(
  { data, revealed }: NonNullable<StoredEntry['values']>,
  objectId: string,
): Changes {
  const changes: Changes = [];
  for (const [field, after] of Object.entries({ ...data, ...revealedData(revealed) })) {
    const isEmpty = after === null || (Array.isArray(after) && after.length === 0);
    if (isEmpty || after === objectId || HIDDEN.has(field)) continue;
    changes.push({ field, before: null, after });
  }
  return changes;
}

const revealedData = (revealed: Values): Values =>
  Object.fromEntries(
    Object.entries(revealed)
      .filter(([path]) => path.startsWith(REVEALED))
      .map(([path, value]) => [path.slice(REVEALED.length), value]),
  );
