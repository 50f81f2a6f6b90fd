import type { AuditEntry } from '@tallyhand/contracts/features/audit/audit.endpoints';

type Changes = AuditEntry['changes'];
type Values = Readonly<Record<string, Changes[number]['after']>>;

/** An entry as it is read: with what changed where that is known, else with the event's values. */
export type StoredEntry = Omit<AuditEntry, 'changes'> & {
  readonly changes: Changes | null;
  /** `revealed` has what ciphertexts say, by their paths: `data.email`. */
  readonly values: { readonly data: Values; readonly revealed: Values } | null;
};

const REVEALED = 'data.';
/** The organization is the caller's own; keys open ciphertexts. */
const HIDDEN = new Set(['organizationId', 'emailKey', 'previousEmailKey', 'contentKey']);

export function entryOf({ values, ...entry }: StoredEntry): AuditEntry {
  const changes = entry.changes ?? (values ? changesOf(values, entry.object.id) : []);
  return { ...entry, changes };
}

/** The values of an event, without empty ones and without the id of what it is about. */
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
