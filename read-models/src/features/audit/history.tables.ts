import {
  HISTORY_KINDS,
  type HistoryKind,
} from '@tallyhand/contracts/features/audit/deletions.endpoints';
import type { HistoryEntry } from '@tallyhand/contracts/kernel/changes';
import { person } from '../../kernel/charges.ts';
import {
  bigint,
  int,
  json,
  orNull,
  text,
  timestamp,
  uuid,
  withDefault,
} from '../../kernel/columns.ts';
import { keysetPage, mergedPage, readPage } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';
import { NAME_COLUMNS } from '../../kernel/versioned-object.ts';

/**
 * Who changed what and when, field by field. `object_values` holds the current fields of each
 * object.
 */
export const historyModel = readModel({
  name: 'history',
  feature: 'audit',
  version: 2,
  tables: {
    object_history: table({
      key: ['entry_id'],
      columns: {
        entry_id: uuid,
        organization_id: uuid,
        object_kind: text,
        object_id: uuid,
        /**
         * In the object's stream. It orders the changes of one command, which have the same time.
         */
        revision: withDefault(bigint, '0'),
        kind: text,
        version: orNull(int),
        restored_from: orNull(int),
        actor_id: orNull(uuid),
        changes: json<HistoryEntry['changes']>(),
        at: timestamp,
      },
      indexes: ['(object_id, revision desc)'],
    }),
    object_values: table({
      key: ['object_id'],
      columns: {
        object_id: uuid,
        organization_id: uuid,
        fields: json<Readonly<Record<string, unknown>>>(),
      },
    }),
  },
});

/** The changes of one object, newest first. */
export const readHistory = readPage(
  'history',
  {
    as: 'h',
    at: 'revision',
    id: 'entry_id',
    source: `select h.*, h.at + interval '1 ms' * (select g.skew_ms from read_model.audit_heads g
        where g.organization_id = me.organization_id) as latest
      from read_model.object_history h
      where h.organization_id = me.organization_id and h.object_kind = p_object_kind
        and h.object_id = p_object_id
        and h.revision < case when p_cursor_at is null then 9223372036854775807 else
          (select c.revision from read_model.object_history c where c.entry_id = p_cursor_id) end
      order by h.revision desc limit p_limit`,
    select: `h.entry_id as id, a.sequence, h.version, h.kind, h.restored_from as "restoredFrom",
      ${person('h.actor_id')} as actor, h.changes, h.at as "createdAt"`,
    // Looked up by time: an object may have many entries.
    joins: `left join lateral (select e.sequence from read_model.audit_entries e
      where e.organization_id = me.organization_id and e.event_id = h.entry_id
        and e.latest between h.at and h.latest
      order by e.latest, e.sequence limit 1) a on true`,
  },
  { object_kind: 'text', object_id: 'uuid' },
);

const deleted = (kind: HistoryKind) => `
  select '${kind}', o.${kind}_id, o.${NAME_COLUMNS[kind]}, o.deleted_at from (${keysetPage({
    table: `read_model.${kind}s`,
    as: 'o',
    at: 'deleted_at',
    id: `${kind}_id`,
    where: 'o.deleted_at is not null',
  })}) o
  where coalesce(p_kind, '${kind}') = '${kind}'`;

const DELETED = { as: 'd', at: 'deleted_at', id: 'id' };

/** Deleted objects of one kind, or of all kinds (null), with the actor of the last deletion. */
export const readDeletions = readPage(
  'deletions',
  {
    ...DELETED,
    source: mergedPage(
      `(${HISTORY_KINDS.map(deleted).join(' union all ')}) d (kind, id, name, deleted_at)`,
      DELETED,
    ),
    select: `d.kind, d.id, d.name, ${person('h.actor_id')} as actor, d.deleted_at as "createdAt"`,
    joins: `left join lateral (select actor_id from read_model.object_history
      where object_id = d.id and kind = 'deleted'
      order by revision desc limit 1) h on true`,
  },
  { kind: 'text' },
);
