import { HISTORY_KINDS } from '@tallyhand/contracts/features/audit/deletions.endpoints';
import { nameOf } from '../../kernel/charges.ts';
import {
  bigint,
  bytes,
  int,
  json,
  orNull,
  searchVector,
  text,
  timestamp,
  uuid,
} from '../../kernel/columns.ts';
import { inEachOrder, LIST_TEXT_MAX, readMany, readOne } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';
import { NAME_COLUMNS } from '../../kernel/versioned-object.ts';
import { keptText } from './as-of.ts';
import { AUDIT_FILTER, auditEventsAfter, findAuditEntries } from './audit-functions.ts';

/**
 * Every event of an organization, numbered from 1 in the order of the event store, as it is stored:
 * personal data as ciphertext, and beside it in `revealed` what it says. `leaf` is the hash of all
 * but that. `latest`: the latest time of this entry and all before it.
 */
export const auditLogModel = readModel({
  name: 'audit-log',
  feature: 'audit-log',
  version: 1,
  tables: {
    audit_entries: table({
      key: ['organization_id', 'sequence'],
      columns: {
        organization_id: uuid,
        sequence: bigint,
        event_id: uuid,
        type: text,
        schema_version: int,
        /** The first part of the stream's name. */
        category: text,
        stream: text,
        at: timestamp,
        latest: timestamp,
        actor_kind: text,
        actor_id: orNull(text),
        sign_in_id: orNull(uuid),
        correlation_id: text,
        causation_id: orNull(text),
        command_id: uuid,
        object_kind: text,
        object_id: text,
        data: json<unknown>(),
        source_address: orNull(text),
        /** By its path in an exported row, as `data.email`. */
        revealed: json<Readonly<Record<string, string>>>(),
        /** As PostgreSQL writes bytes: `\x` and hexadecimal digits. */
        leaf: bytes,
        search: searchVector,
      },
      indexes: [
        '(organization_id, latest, sequence)',
        '(organization_id, actor_id, sequence)',
        '(organization_id, actor_kind, sequence)',
        '(organization_id, category, sequence)',
        '(organization_id, type, sequence)',
        '(organization_id, object_id, sequence)',
        // What waits to be put into the index is put there by a writer: little at a time, so that
        // no caller waits for long.
        'using gin (search) with (gin_pending_list_limit = 128)',
      ],
    }),
    /** Where each organization's log ends. `skew_ms`: how far a time ever fell behind the latest one. */
    audit_heads: table({
      key: ['organization_id'],
      columns: {
        organization_id: uuid,
        sequence: bigint,
        latest: timestamp,
        skew_ms: bigint,
      },
    }),
  },
  functions: {
    find_audit_entries: findAuditEntries('newest'),
    find_audit_entries_oldest: findAuditEntries('oldest'),
    audit_events_after: auditEventsAfter,
    // For webhooks.
    sent_events_after: { ...auditEventsAfter, caller: 'command' },
    kept_text: keptText,
  },
});

/** Null where a text is no UUID: ids of a foreign kind have no names here. */
const asId = (column: string) =>
  `case when pg_input_is_valid(${column}, 'uuid') then ${column}::uuid end`;

const NAMED = [
  ...HISTORY_KINDS.map((kind) => [kind, `${kind}s`, `${kind}_id`, NAME_COLUMNS[kind]]),
  ['apikey', 'api_keys', 'key_id', 'name'],
  ['task', 'tasks', 'task_id', 'left(input, 80)'],
  ['member', 'members', 'user_id', 'username'],
  ['organization', 'organizations', 'organization_id', 'name'],
];

const OBJECT_NAME = `case a.object_kind ${NAMED.map(
  ([kind, table, key, name]) =>
    `when '${kind}' then (select ${name} from read_model.${table} o
       where o.${key} = ${asId('a.object_id')})`,
).join('\n')} end`;

/** Values of an event by their names. Most are short, which all of them together tell at no cost. */
const shortValues = (values: string) => `case when octet_length(${values}::text) <= ${LIST_TEXT_MAX}
  then ${values} else (select jsonb_object_agg(v.key, case
      when octet_length(v.value::text) <= ${LIST_TEXT_MAX} then v.value
      when jsonb_typeof(v.value) = 'string'
        then to_jsonb(left(v.value #>> '{}', ${LIST_TEXT_MAX}))
      when length(v.value::text) > ${LIST_TEXT_MAX}
        then to_jsonb(left(v.value::text, ${LIST_TEXT_MAX}))
      else v.value end)
    from jsonb_each(${values}) v) end`;

/** The entry of each sequence that was found: the limit keeps it from being the other way round. */
const ENTRY_FOUND = `cross join lateral (select e.* from read_model.audit_entries e
  where e.organization_id = me.organization_id and e.sequence = f.sequence limit 1) a`;

/** What a filter finds, beyond an entry where one is given. */
export const readAuditEntries = inEachOrder((order, suffix) =>
  readMany(
    `audit_entries${suffix}`,
    {
      ...AUDIT_FILTER,
      beyond: 'bigint',
      limit: 'int',
    } as const,
    `select a.sequence, a.event_id as id, a.type, a.at,
     json_build_object('kind', a.actor_kind, 'id', a.actor_id, 'name',
       case when a.actor_kind in ('member', 'api-key') then ${nameOf(asId('a.actor_id'))} end)
       as actor,
     a.revealed->>'sourceAddress' as address, a.sign_in_id as "signInId",
     a.correlation_id as "correlationId", a.causation_id as "causationId",
     json_build_object('kind', a.object_kind, 'id', a.object_id, 'name', ${OBJECT_NAME}) as object,
     h.changes, case when h.changes is null then json_build_object(
       'data', ${shortValues('a.data')}, 'revealed', ${shortValues('a.revealed')}) end as values,
     case when a.category = 'audit' then coalesce((a.data->>'count')::int, 1) else 1 end as count
   from read_model.find_audit_entries${suffix}(p_from, p_to, p_actor_id, p_actor_kind, p_category,
     p_type, p_object, p_words, p_beyond, p_limit) f
   ${ENTRY_FOUND}
   left join read_model.object_history h
     on h.entry_id = a.event_id
   order by a.sequence ${order === 'newest' ? 'desc' : 'asc'}`,
  ),
);

/** Where the log ends, and the events after a sequence of it. */
export const readRecordedEvents = readOne(
  'recorded_events',
  { after: 'bigint', category: 'text', type: 'text', limit: 'int', bytes: 'bigint' },
  `select coalesce((select sequence from read_model.audit_heads
       where organization_id = me.organization_id), 0) as head,
     (select coalesce(json_agg(e), '[]') from (
       select a.sequence, a.event_id as id, a.type, a.schema_version as "schemaVersion", a.at,
         a.stream, json_build_object('kind', a.actor_kind, 'id', a.actor_id,
           'signInId', a.sign_in_id) as actor,
         a.correlation_id as "correlationId", a.causation_id as "causationId",
         a.command_id as "commandId", f.data
       from read_model.audit_events_after(p_after, p_category, p_type, p_limit, p_bytes) f
       ${ENTRY_FOUND}
       order by a.sequence) e) as events`,
);
