import { agentEvents } from '@tallyhand/contracts/features/agents/agents.events';
import type { HistoryKind } from '@tallyhand/contracts/features/audit/deletions.endpoints';
import {
  articleEvents,
  StoredText,
} from '@tallyhand/contracts/features/knowledge/knowledge.events';
import { connectionEvents } from '@tallyhand/contracts/features/models/models.events';
import { playbookEvents } from '@tallyhand/contracts/features/playbooks/playbooks.events';
import { toolEvents } from '@tallyhand/contracts/features/tools/tools.events';
import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import type { EventsOf } from '@tallyhand/contracts/kernel/messages';
import { historyModel } from '@tallyhand/read-models/features/audit/history.tables';
import type { VersionedObject } from '@tallyhand/read-models/kernel/versioned-object';
import { type Row, versionedObjects } from '@tallyhand/read-models/read-models';
import { batchProjection, type Happened, type Helpers } from '../../kernel/projection.ts';
import { addRows, readRows, writeRows } from '../../kernel/rows.ts';
import { changesBetween, type Fields, fieldsOf } from './changed-fields.ts';

const NAMED_ACTORS = new Set(['member', 'api-key']);

const kinds = {
  ...agentEvents,
  ...articleEvents,
  ...playbookEvents,
  ...toolEvents,
  ...connectionEvents,
};
type ObjectEvent = EventsOf<typeof kinds>;
type Data = { readonly organizationId: string; readonly [name: string]: unknown };

/** The type of an event without the kind of its object. */
type Suffix<T> = T extends `${Capitalize<HistoryKind>}${infer S}` ? S : never;
const ENTRY_KINDS: Readonly<Record<Suffix<ObjectEvent['type']>, HistoryEntry['kind']>> = {
  Created: 'created',
  Changed: 'changed',
  Deleted: 'deleted',
  Restored: 'restored',
  Paused: 'paused',
  Activated: 'activated',
  ResourcesAssigned: 'resources-assigned',
  CredentialsDropped: 'credentials-dropped',
};

/** Each event of an object is an entry, with the fields that it changed. */
export const historyProjection = batchProjection({
  model: historyModel,
  kinds,
  async apply(tx, happened, helpers) {
    const ids = new Set(happened.map(objectIdOf));
    const present = await readRows(tx, 'object_values', [...ids]);
    const changed = new Map<string, Row<'object_values'>>();
    const entries: Row<'object_history'>[] = [];
    for (const one of happened) {
      const id = objectIdOf(one);
      const before = (changed.get(id) ?? present.get(id))?.fields ?? {};
      const after = await fieldsAfter(one, helpers);
      const entry = entryOf(one, changesBetween(before as Fields, after));
      entries.push(entry);
      if (entry.changes.length === 0) continue;
      const { organization_id } = entry;
      changed.set(id, { object_id: id, organization_id, fields: { ...before, ...after } });
    }
    await Promise.all([
      addRows(tx, 'object_history', entries),
      writeRows(tx, 'object_values', [...changed.values()]),
    ]);
    return new Set(entries.map(({ organization_id }) => organization_id));
  },
});

const dataOf = ({ event }: Happened<ObjectEvent>): Data => event.data;

function objectOf({ event: { type } }: Happened<ObjectEvent>): VersionedObject {
  const object = versionedObjects.find(({ kind }) => type.toLowerCase().startsWith(kind));
  if (!object) throw new Error(`${type} is of no versioned object`);
  return object;
}

const entryKindOf = (one: Happened<ObjectEvent>) =>
  ENTRY_KINDS[one.event.type.slice(objectOf(one).kind.length) as Suffix<ObjectEvent['type']>];

const objectIdOf = (one: Happened<ObjectEvent>) => String(dataOf(one)[`${objectOf(one).kind}Id`]);

function fieldsAfter(one: Happened<ObjectEvent>, { textOf }: Helpers): Promise<Fields> {
  const { organizationId, version, restoredFrom, ...rest } = dataOf(one);
  const object = objectOf(one);
  // `changed` names the fields that led to dropped credentials; the entry before shows them.
  const { [`${object.kind}Id`]: _, changed, ...fields } = rest;
  // Long texts are in the blob store.
  return fieldsOf(object, fields, async (value) => {
    const text = StoredText.safeParse(value);
    return text.success ? textOf(organizationId, text.data) : null;
  });
}

function entryOf(
  one: Happened<ObjectEvent>,
  changes: HistoryEntry['changes'],
): Row<'object_history'> {
  const { id, envelope, revision } = one.stored;
  const { organizationId, version, restoredFrom } = dataOf(one);
  const { actor } = envelope;
  return {
    entry_id: id,
    organization_id: organizationId,
    object_kind: objectOf(one).kind,
    object_id: objectIdOf(one),
    revision: Number(revision),
    kind: entryKindOf(one),
    version: typeof version === 'number' ? version : null,
    restored_from: typeof restoredFrom === 'number' ? restoredFrom : null,
    actor_id: NAMED_ACTORS.has(actor.kind) ? (actor.id ?? null) : null,
    changes,
    at: envelope.recordedAt,
  };
}
