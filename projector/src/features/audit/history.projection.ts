import { type AgentEvent, agentEvents } from '@tallyhand/contracts/features/agents/agents.events';
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
import {
  type HistoryKind,
  historyModel,
} from '@tallyhand/read-models/features/audit/history.tables';
import { type Handler, projection, type Surroundings, type Tx } from '../../kernel/projection.ts';
import { changesBetween, type Fields, fieldsOf } from './changed-fields.ts';

type Kind = HistoryEntry['kind'];
type Data = { readonly organizationId: string; readonly [name: string]: unknown };

export const historyProjection = projection<AgentEvent | ArticleEvent | PlaybookEvent | ToolEvent>({
  model: historyModel,
  kinds: { ...agentEvents, ...articleEvents, ...playbookEvents, ...toolEvents },
  on: {
    AgentCreated: enter('agent', 'created'),
    AgentChanged: enter('agent', 'changed'),
    AgentDeleted: enter('agent', 'deleted'),
    AgentRestored: enter('agent', 'restored'),
    AgentPaused: enter('agent', 'paused'),
    AgentActivated: enter('agent', 'activated'),
    AgentResourcesAssigned: enter('agent', 'resources-assigned'),
    ArticleCreated: enter('article', 'created'),
    ArticleChanged: enter('article', 'changed'),
    ArticleDeleted: enter('article', 'deleted'),
    ArticleRestored: enter('article', 'restored'),
    PlaybookCreated: enter('playbook', 'created'),
    PlaybookChanged: enter('playbook', 'changed'),
    PlaybookDeleted: enter('playbook', 'deleted'),
    PlaybookRestored: enter('playbook', 'restored'),
    ToolCreated: enter('tool', 'created'),
    ToolChanged: enter('tool', 'changed'),
    ToolDeleted: enter('tool', 'deleted'),
    ToolRestored: enter('tool', 'restored'),
  },
});

/** Every event of an object is an entry, with what it changed of the object's fields. */
function enter(objectKind: HistoryKind, kind: Kind): Handler<Data> {
  return async (tx, data, around) => {
    const { organizationId, version, restoredFrom, [`${objectKind}Id`]: id, ...rest } = data;
    const objectId = String(id);
    const after = await fieldsOf(rest, (text) => textIn(organizationId, text, around));
    const changes = changesBetween(await presentFields(tx, objectId), after);
    const { event, at } = around;
    const { actor } = event.envelope;
    await tx
      .insertInto('object_history')
      .values({
        entry_id: event.id,
        organization_id: organizationId,
        object_kind: objectKind,
        object_id: objectId,
        kind,
        version: typeof version === 'number' ? version : null,
        restored_from: typeof restoredFrom === 'number' ? restoredFrom : null,
        actor_id: actor.kind === 'member' ? (actor.id ?? null) : null,
        changes: JSON.stringify(changes),
        at,
      })
      .execute();
    if (changes.length > 0) await keep(tx, organizationId, objectId, after);
  };
}

/** Long texts stand in the blob store; other values are no texts. */
async function textIn(organizationId: string, value: unknown, { textOf }: Surroundings) {
  const text = StoredText.safeParse(value);
  return text.success ? textOf(organizationId, text.data) : null;
}

async function presentFields(tx: Tx, objectId: string): Promise<Fields> {
  const row = await tx
    .selectFrom('object_values')
    .select('fields')
    .where('object_id', '=', objectId)
    .executeTakeFirst();
  return (row?.fields ?? {}) as Fields;
}

async function keep(tx: Tx, organizationId: string, objectId: string, changed: Fields) {
  const fields = JSON.stringify({ ...(await presentFields(tx, objectId)), ...changed });
  await tx
    .insertInto('object_values')
    .values({ object_id: objectId, organization_id: organizationId, fields })
    .onConflict((conflict) => conflict.column('object_id').doUpdateSet({ fields }))
    .execute();
}
