import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import type { VersionedObject } from './audit.api.ts';

export type FieldValue = HistoryEntry['changes'][number]['after'];
export type ObjectField = readonly [name: string, value: FieldValue];

/** Fields that are shown elsewhere, or are no text of the object. */
const NOT_SHOWN = [
  'id',
  'version',
  'createdAt',
  'updatedAt',
  'truncated',
  'credentialsRequired',
  // Says what is stored now: keys have no history.
  'apiKey',
];
const NESTED = ['personaConfig', 'config'];
/** Fields that a history calls otherwise than the object does. */
const HISTORY_NAMES: Readonly<Record<string, string>> = { credentialNames: 'credentials' };

const isContent = (name: string) => Number(name === 'content');

/** The fields of an object, named as in its history; a long text comes last. */
export function fieldsOf(object: VersionedObject): ObjectField[] {
  return Object.entries(object)
    .filter(([name]) => !NOT_SHOWN.includes(name))
    .toSorted(([one], [other]) => isContent(one) - isContent(other))
    .flatMap(([name, value]): ObjectField[] => {
      if (!NESTED.includes(name) || typeof value !== 'object' || value === null) {
        return [[HISTORY_NAMES[name] ?? name, value]];
      }
      return Object.entries(value).map(([inner, one]) => [`${name}.${inner}`, one]);
    });
}

const ASSIGNED = ['articles', 'playbooks', 'tools'];

/**
 * What an agent had been assigned after a change of its history, which is newest first. A field
 * that no known change speaks of is left out.
 */
export function assignedThen(entries: readonly HistoryEntry[], index: number): ObjectField[] {
  const changeOf = (entry: HistoryEntry, name: string) =>
    entry.changes.find(({ field }) => field === name);
  const find = (some: readonly HistoryEntry[], name: string) =>
    some.map((entry) => changeOf(entry, name)).find(Boolean);
  return ASSIGNED.flatMap((name): ObjectField[] => {
    const past = find(entries.slice(index), name);
    if (past) return [[name, past.after]];
    const later = find(entries.slice(0, index).toReversed(), name);
    return later ? [[name, later.before]] : [];
  });
}

type State = { readonly version: number; readonly isActive?: boolean };

/** The changes of a history, which is newest first, that led from one state to a later one. */
export function changesSince(entries: readonly HistoryEntry[], before: State, now: State) {
  const end = entries.findIndex(({ version }) => version !== null && version <= before.version);
  const later = end < 0 ? entries : entries.slice(0, end);
  // Pausing makes no version: of several times only the last one counts, if it made a difference.
  const toggle = later.find(({ kind }) => kind === 'paused' || kind === 'activated');
  return later.filter(
    (entry) => entry.version !== null || (entry === toggle && before.isActive !== now.isActive),
  );
}
