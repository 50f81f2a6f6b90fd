import { HISTORY_KINDS } from '@tallyhand/contracts/features/audit/deletions.endpoints';
import type { Order } from '@tallyhand/contracts/kernel/lists';
import { ANY_ORGANIZATION, MARK_LENGTH } from '@tallyhand/service-kit/audit-words';
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
import { readModel, type StoredFunction, table } from '../../kernel/read-model.ts';
import { NAME_COLUMNS } from '../../kernel/versioned-object.ts';
import { keptText } from './as-of.ts';

const BEYOND = {
  newest: { argument: 'before', bound: 'high := least(high, p_before - 1)', direction: 'desc' },
  oldest: { argument: 'after', bound: 'low := greatest(low, p_after + 1)', direction: 'asc' },
} as const;

/** Filters of entries; null matches everything. */
export const AUDIT_FILTER = {
  from: 'timestamptz',
  to: 'timestamptz',
  actor_id: 'text',
  actor_kind: 'text',
  category: 'text',
  type: 'text',
  object: 'text',
  words: 'text',
} as const;

/**
 * The newest matches before an entry, or the oldest after one. Times become bounds of the sequence:
 * `latest` never decreases, and no entry's own time is earlier than it by more than the largest
 * skew.
 */
export const findAuditEntries = (order: Order): StoredFunction => ({
  caller: 'query',
  arguments: {
    ...AUDIT_FILTER,
    [BEYOND[order].argument]: 'bigint',
    max: 'int',
  },
  returns: 'sequence bigint',
  declares: `
    low bigint := 1;
    high bigint;
    skew interval;
    wanted tsquery := replace(p_words, '''${ANY_ORGANIZATION}:',
      '''' || right(mine::text, ${MARK_LENGTH}) || ':')::tsquery;`,
  body: `
    select h.sequence, h.skew_ms * interval '1 ms' into high, skew
      from read_model.audit_heads h where h.organization_id = mine;
    if p_from is not null then
      select a.sequence into low from read_model.audit_entries a
        where a.organization_id = mine and a.latest >= p_from
        order by a.latest, a.sequence limit 1;
    end if;
    if p_to is not null then
      select a.sequence into high from read_model.audit_entries a
        where a.organization_id = mine and a.latest < p_to + skew
        order by a.latest desc, a.sequence desc limit 1;
    end if;
    if low is null or high is null then return; end if;
    ${BEYOND[order].bound};
    -- Of words, an index knows which entries hold them, but not in which order.
    if wanted is null then perform set_config('enable_sort', 'off', true); end if;
    return query select a.sequence from read_model.audit_entries a
      where a.organization_id = mine and a.sequence between low and high
        and (p_actor_id is null or a.actor_id = p_actor_id)
        and (p_actor_kind is null or a.actor_kind = p_actor_kind)
        and (p_category is null or a.category = p_category)
        and (p_type is null or a.type = p_type)
        and (p_object is null or a.object_id = p_object)
        and (wanted is null or a.search @@ wanted)
        and (p_from is null or a.at >= p_from) and (p_to is null or a.at < p_to)
      order by a.sequence ${BEYOND[order].direction} limit p_max;`,
});

/**
 * Events of the log, ready to replay: with personal values revealed and long texts loaded. Returns
 * at least one event, and stops at `p_bytes`.
 */
const wholeEvents = (entries: string): Omit<StoredFunction, 'arguments'> => ({
  caller: 'query',
  returns: 'sequence bigint, data jsonb',
  declares: `
    entry record;
    kept record;
    whole jsonb;
    size bigint := 0;`,
  body: `
    for entry in ${entries} order by sequence limit p_max
    loop
      whole := entry.data || coalesce((select jsonb_object_agg(substr(r.key, 6), r.value)
        from jsonb_each(entry.revealed) r where r.key like 'data.%'), '{}');
      for kept in select d.key, convert_from(b.content, 'UTF8') as text
        from jsonb_each(entry.data) d join operational.blobs b
          on b.organization_id = mine and b.hash = d.value->>'hash'
        where d.value->>'kind' = 'blob'
      loop
        whole := jsonb_set(whole, array[kept.key],
          jsonb_build_object('kind', 'inline', 'text', kept.text));
      end loop;
      exit when size > 0 and size + octet_length(whole::text) > p_bytes;
      size := size + octet_length(whole::text);
      sequence := entry.sequence;
      data := whole;
      return next;
    end loop;`,
});

const ENTRIES_AFTER = `select a.sequence, a.data, a.revealed from read_model.audit_entries a
  where a.organization_id = mine and a.sequence > p_after`;

const auditEventsAfter: StoredFunction = {
  ...wholeEvents(`${ENTRIES_AFTER}
    and (p_category is null or a.category = p_category) and (p_type is null or a.type = p_type)`),
  arguments: { after: 'bigint', category: 'text', type: 'text', max: 'int', bytes: 'bigint' },
};

/** What a person did, and what was recorded about them. */
const personEventsAfter: StoredFunction = {
  ...wholeEvents(`select distinct on (sequence) * from (
      (${ENTRIES_AFTER} and a.actor_id = p_person order by a.sequence limit p_max) union all
      (${ENTRIES_AFTER} and a.object_id = p_person order by a.sequence limit p_max)) either`),
  arguments: { person: 'text', after: 'bigint', max: 'int', bytes: 'bigint' },
};

/**
 * Every event of an organization as it is stored, numbered from 1 in the order of the event store.
 * Personal data is ciphertext in `data` and plain text in `revealed`. `leaf` is the hash of
 * everything except `revealed`. `latest` is the latest time of this entry and all before it.
 */
export const auditLogModel = readModel({
  name: 'audit-log',
  feature: 'audit-log',
  version: 2,
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
        /** By path in an exported row, such as `data.email`. */
        revealed: json<Readonly<Record<string, string>>>(),
        /** By path: the key of each revealed text alone, for exports. */
        text_keys: json<Readonly<Record<string, string>>>(),
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
        // A writer merges pending entries into the index. A short list keeps each merge short.
        'using gin (search) with (gin_pending_list_limit = 128)',
      ],
    }),
    /**
     * The end of each organization's log. `skew_ms` is the largest lag of a time behind the latest
     * one.
     */
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
    person_events_after: personEventsAfter,
    // For webhooks.
    sent_events_after: { ...auditEventsAfter, caller: 'command' },
    kept_text: keptText,
  },
});

/** Null when a text is not a UUID: such ids have no names here. */
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

/**
 * The values of an event, long ones cut. The size of all together shows cheaply that none is long.
 */
const shortValues = (values: string) => `case when octet_length(${values}::text) <= ${LIST_TEXT_MAX}
  then ${values} else (select jsonb_object_agg(v.key, case
      when octet_length(v.value::text) <= ${LIST_TEXT_MAX} then v.value
      when jsonb_typeof(v.value) = 'string'
        then to_jsonb(left(v.value #>> '{}', ${LIST_TEXT_MAX}))
      when length(v.value::text) > ${LIST_TEXT_MAX}
        then to_jsonb(left(v.value::text, ${LIST_TEXT_MAX}))
      else v.value end)
    from jsonb_each(${values}) v) end`;

/**
 * The entry of each sequence that was found. The limit keeps the planner from reversing the join.
 */
const ENTRY_FOUND = `cross join lateral (select e.* from read_model.audit_entries e
  where e.organization_id = me.organization_id and e.sequence = f.sequence limit 1) a`;

/** The first entry from a time and an id on: the order leaves the planner only the index of both. */
const LEDGER_SEQUENCE = `(select case when n.entry_id = a.event_id then n.sequence end from (
  select l.sequence, l.entry_id from read_model.ledger_entries l
    where l.organization_id = a.organization_id and (l.at, l.entry_id) >= (a.at, a.event_id)
    order by l.at, l.entry_id limit 1) n)`;

/** The matches of a filter, after an entry if one is given. */
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
     case when a.category = 'audit' then coalesce((a.data->>'count')::int, 1) else 1 end as count,
     case when a.category = 'ledger' then ${LEDGER_SEQUENCE} end as "ledgerEntry"
   from read_model.find_audit_entries${suffix}(p_from, p_to, p_actor_id, p_actor_kind, p_category,
     p_type, p_object, p_words, p_beyond, p_limit) f
   ${ENTRY_FOUND}
   left join read_model.object_history h
     on h.entry_id = a.event_id
   order by a.sequence ${order === 'newest' ? 'desc' : 'asc'}`,
    { sortsLittle: true },
  ),
);

const recordedEvent = (signInId: string) => `a.sequence, a.event_id as id, a.type,
  a.schema_version as "schemaVersion", a.at, a.stream,
  json_build_object('kind', a.actor_kind, 'id', a.actor_id, 'signInId', ${signInId}) as actor,
  a.correlation_id as "correlationId", a.causation_id as "causationId", a.command_id as "commandId",
  f.data`;

const ofCaller = (value: string) => `case when a.actor_id = me.user_id::text then ${value} end`;

/**
 * What the caller did and what was recorded about them after a sequence, oldest first. Addresses and
 * sign-ins of others who changed something about the caller stay theirs.
 */
export const readOwnEvents = readMany(
  'own_events',
  { after: 'bigint', limit: 'int', bytes: 'bigint' },
  `select ${recordedEvent(ofCaller('a.sign_in_id'))},
     ${ofCaller(`a.revealed->>'sourceAddress'`)} as address
   from read_model.person_events_after(me.user_id::text, p_after, p_limit, p_bytes) f
   ${ENTRY_FOUND}
   order by a.sequence`,
);

/** The end of the log, and the events after a sequence. */
export const readRecordedEvents = readOne(
  'recorded_events',
  { after: 'bigint', category: 'text', type: 'text', limit: 'int', bytes: 'bigint' },
  `select coalesce((select sequence from read_model.audit_heads
       where organization_id = me.organization_id), 0) as head,
     (select coalesce(json_agg(e), '[]') from (
       select ${recordedEvent('a.sign_in_id')}
       from read_model.audit_events_after(p_after, p_category, p_type, p_limit, p_bytes) f
       ${ENTRY_FOUND}
       order by a.sequence) e) as events`,
);
