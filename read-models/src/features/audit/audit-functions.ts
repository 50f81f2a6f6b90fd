import type { Order } from '@tallyhand/contracts/kernel/lists';
import { ANY_ORGANIZATION, MARK_LENGTH } from '@tallyhand/service-kit/audit-words';
import type { StoredFunction } from '../../kernel/read-model.ts';

const BEYOND = {
  newest: { argument: 'before', bound: 'high := least(high, p_before - 1)', direction: 'desc' },
  oldest: { argument: 'after', bound: 'low := greatest(low, p_after + 1)', direction: 'asc' },
} as const;

/** What entries are looked for by; null where it doesn't matter. */
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
 * The newest entries that a filter finds before one, or the oldest after one. Times become bounds of
 * the sequence: `latest` never falls along it, and no entry's own time is earlier than that by more
 * than the greatest skew.
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
 * The events after a sequence as one replays them: personal values as they are revealed, long texts
 * from where they are kept. At least one, and no more after `p_bytes`.
 */
export const auditEventsAfter: StoredFunction = {
  caller: 'query',
  arguments: { after: 'bigint', category: 'text', type: 'text', max: 'int', bytes: 'bigint' },
  returns: 'sequence bigint, data jsonb',
  declares: `
    entry record;
    kept record;
    whole jsonb;
    size bigint := 0;`,
  body: `
    for entry in select a.sequence, a.data, a.revealed from read_model.audit_entries a
      where a.organization_id = mine and a.sequence > p_after
        and (p_category is null or a.category = p_category)
        and (p_type is null or a.type = p_type)
      order by a.sequence limit p_max
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
};
