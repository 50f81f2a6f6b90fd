import type { AuditEntry } from '@tallyhand/contracts/features/audit/audit.endpoints';

/** What one request caused, in the order of the list. `id` is its correlation id. */
export type AuditGroup = { id: string; entries: AuditEntry[] };

/** The entries of each request together, at the place of the first one in the list. */
export function groupsOf(entries: readonly AuditEntry[]): AuditGroup[] {
  const groups = new Map<string, AuditGroup>();
  for (const entry of entries) {
    const { correlationId: id } = entry;
    const group = groups.get(id);
    if (group) group.entries.push(entry);
    else groups.set(id, { id, entries: [entry] });
  }
  return [...groups.values()];
}

/** The entry that says what the request was: the earliest, and credits only where there is no other. */
export function headOf({ entries }: AuditGroup): AuditEntry {
  const inOrder = entries.toSorted((a, b) => a.sequence - b.sequence);
  return inOrder.find(({ ledgerEntry }) => ledgerEntry === null) ?? (inOrder[0] as AuditEntry);
}

/** When the entry happened that gives the group its place in the list. */
export const timeOf = ({ entries }: AuditGroup) => entries[0]?.at ?? null;
