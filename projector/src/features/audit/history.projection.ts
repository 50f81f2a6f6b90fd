import { type AgentEvent, agentEvents } from '@tallyhand/contracts/features/agents/agents.events';
import type { HistoryKind } from '@tallyhand/contracts/features/audit/deletions.endpoints';
import {
  type ArticleEvent,
  articleEvents,
  StoredText,
} from '@tallyhand/contracts/features/knowledge/knowledge.events';
import {
  type PlaybookEvent,
  playbookEvents,
} from '@tallyhand/contracts/features/playbooks/playbooks.events';
import { type ToolEvent, toolEvents } from '@tallyhand/contracts/features/tools/tools.events';
import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import { historyModel } from '@tallyhand/read-models/features/audit/history.tables';
import type { Row } from '@tallyhand/read-models/read-models';
import { batchProjection, type Happened, type Helpers } from '../../kernel/projection.ts';
import { addRows, readRows, writeRows } from '../../kernel/rows.ts';
import { changesBetween, type Fields, fieldsOf } from './changed-fields.ts';

const NAMED_ACTORS = new Set(['member', 'api-key']);

type Kind = HistoryEntry['kind'];
type ObjectEvent = AgentEvent | ArticleEvent | PlaybookEvent | ToolEvent;
type Data = { readonly organizationId: string; readonly [name: string]: unknown };

/** Every event of an object is an entry, with what it changed of the object's fields. */
export const historyProjection = batchProjection<ObjectEvent>({
  model: historyModel,
  kinds: { ...agentEvents, ...articleEvents, ...playbookEvents, ...toolEvents },
  async apply(tx, happened, helpers) {
    const ids = new Set(happened.map(objectIdOf));
    const present = await readRows(tx, 'object_values', 'object_id', [...ids]);
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
      writeRows(tx, 'object_values', 'object_id', [...changed.values()]),
    ]);
    return new Set(entries.map(({ organization_id }) => organization_id));
  },
});

const KINDS: Readonly<Record<ObjectEvent['type'], readonly [HistoryKind, Kind]>> = {
  AgentCreated: ['agent', 'created'],
  AgentChanged: ['agent', 'changed'],
  AgentDeleted: ['agent', 'deleted'],
  AgentRestored: ['agent', 'restored'],
  AgentPaused: ['agent', 'paused'],
  AgentActivated: ['agent', 'activated'],
  AgentResourcesAssigned: ['agent', 'resources-assigned'],
  ArticleCreated: ['article', 'created'],
  ArticleChanged: ['article', 'changed'],
  ArticleDeleted: ['article', 'deleted'],
  ArticleRestored: ['article', 'restored'],
  PlaybookCreated: ['playbook', 'created'],
  PlaybookChanged: ['playbook', 'changed'],
  PlaybookDeleted: ['playbook', 'deleted'],
  PlaybookRestored: ['playbook', 'restored'],
  ToolCreated: ['tool', 'created'],
  ToolChanged: ['tool', 'changed'],
  ToolCredentialsDropped: ['tool', 'credentials-dropped'],
  ToolDeleted: ['tool', 'deleted'],
  ToolRestored: ['tool', 'restored'],
};

const dataOf = ({ event }: Happened<ObjectEvent>): Data => event.data;
const objectKindOf = ({ event }: Happened<ObjectEvent>) => KINDS[event.type][0];
const objectIdOf = (one: Happened<ObjectEvent>) => String(dataOf(one)[`${objectKindOf(one)}Id`]);

function fieldsAfter(one: Happened<ObjectEvent>, { textOf }: Helpers): Promise<Fields> {
  const { organizationId, version, restoredFrom, ...rest } = dataOf(one);
  // `changed` names the fields that led to dropped credentials; the entry before shows them.
  const { [`${objectKindOf(one)}Id`]: _, changed, ...fields } = rest;
  // Long texts stand in the blob store; other values are no texts.
  return fieldsOf(fields, async (value) => {
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
  const [objectKind, kind] = KINDS[one.event.type];
  return {
    entry_id: id,
    organization_id: organizationId,
    object_kind: objectKind,
    object_id: objectIdOf(one),
    revision: Number(revision),
    kind,
    version: typeof version === 'number' ? version : null,
    restored_from: typeof restoredFrom === 'number' ? restoredFrom : null,
    actor_id: NAMED_ACTORS.has(actor.kind) ? (actor.id ?? null) : null,
    changes,
    at: envelope.recordedAt,
  };
}
