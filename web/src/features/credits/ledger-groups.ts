import type {
  LedgerEntry,
  LedgerGroup,
} from '@tallyhand/contracts/features/credits/credits.endpoints';

/** A group has at least one entry. */
export const firstOf = ({ entries }: LedgerGroup) => entries[0] as LedgerEntry;
export const lastOf = ({ entries }: LedgerGroup) => entries.at(-1) as LedgerEntry;

/** The number of its first entry, which names a group in addresses. */
export const keyOf = (group: LedgerGroup) => String(firstOf(group).sequence);

/** The entry that says what became of a reservation. */
export const outcomeOf = (group: LedgerGroup) =>
  group.entries.findLast(({ kind }) => kind !== 'extended') ?? firstOf(group);

/** How the available credits differ after all entries of a group. */
export const changeOf = ({ entries }: LedgerGroup) =>
  entries.reduce((sum, { availableChange }) => sum + availableChange, 0);

/** The group that has the entry of this number. */
export const groupWith = (groups: readonly LedgerGroup[], sequence: string | undefined) =>
  groups.find(({ entries }) => entries.some((entry) => String(entry.sequence) === sequence));
