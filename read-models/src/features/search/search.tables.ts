import { orNull, text, textOf, timestamp, uuid } from '../../kernel/columns.ts';
import { readMany } from '../../kernel/read.ts';
import { readModel, type StoredFunction, table } from '../../kernel/read-model.ts';

/** The searched prefix of a long text. */
export const SEARCHED_TEXT_MAX = 500;
const SHOWN_MAX = 200;
/** Newest entries that are searched, per kind. */
const NEWEST_MAX = 300;
/** Names beginning with the text that are ranked, per kind. */
const NAMED_MAX = 100;
/** Further entries that are searched, per kind: those with the rarest word, or the next newest. */
const OLDER_MAX = 700;
/** The longest words whose frequency is counted. */
const WORDS_MAX = 5;
/** A word in this many of the newest entries is too common to search others by. */
const COMMON = NEWEST_MAX / 10;
/** Newest names that are compared for similarity when nothing matches. */
const COMPARED_MAX = 500;
/** The minimum word similarity of a name. */
const NEAR = 0.5;
/** Newest members that are searched. */
const MEMBERS_MAX = 1_000;
/** Articles that match only in their text. */
const PASSAGES_MAX = 20;

const TEXT = `lower(title || ' ' || description || ' ' || coalesce(label, '') || ' ' || tags)`;
/** No other index begins with this expression, so none can replace the index on texts. */
const SCOPE = '(organization_id::text || kind)';
/** Escapes a text for a `like` pattern. */
const escaped = (text: string) =>
  `replace(replace(replace(${text}, '\\', '\\\\'), '%', '\\%'), '_', '\\_')`;

/** One row by key. The limit keeps the planner from scanning the table. */
const rowOf = (table: string, condition: string) =>
  `(select * from read_model.${table} where ${condition} limit 1)`;

/** The end of the range of names that begin with a text. */
const LAST_CHARACTER = 'chr(1114111)';

const NAMED = `kind not in ('task', 'session')`;

const KINDS = ['agent', 'article', 'playbook', 'tool', 'task', 'session'] as const;

const ofKind = (kind: string) => `organization_id = mine and kind = ${kind} and deleted_at is null`;

/** The newest entries of a kind up to a time, with the searched text. */
const newestOf = (kind: string, max: number, until = `'infinity'`) => `(
  select entry_id, created_at, title, ${TEXT} as searched
  from read_model.search_entries where ${ofKind(kind)} and created_at <= ${until}
  order by created_at desc limit ${max})`;

/** Hits with their rank; 0 is the best. */
const ranked = (hits: string) => `
  select entry_id, created_at, case when name = p_whole then 0
    when starts_with(name, p_whole) then 1 when position(' ' || p_whole in name) > 0 then 2
    when position(p_whole in name) > 0 then 3 else 4 end as rank
  from (select entry_id, created_at, lower(title) as name from ${hits}) named`;

/**
 * The best entries of each kind that match all patterns; if there are none, those with a name
 * similar to `p_whole`, the text in lower case. The number of searched entries is bounded: names
 * beginning with the text, the newest, and some older ones when the newest have too few matches.
 */
const findHits: StoredFunction = {
  caller: 'query',
  sortsLittle: true,
  plansOnce: true,
  arguments: { whole: 'text', patterns: 'text[]', max: 'int' },
  returns: `kind text, id uuid, title text, detail text, agent_id uuid, created_at timestamptz,
    rank real`,
  declares: `beyond text := p_whole || ${LAST_CHARACTER};`,
  body: `
    return query
      select entry.kind, entry.entry_id, title, coalesce(label, nullif(left(description, ${SHOWN_MAX}), '')),
        agent_id, entry.created_at, best.rank::real
      from unnest(array[${KINDS.map((kind) => `'${kind}'`).join(', ')}]) each_kind
      cross join lateral (
        with newest as materialized (
          select *, searched like all (p_patterns) as is_hit
          from ${newestOf('each_kind', NEWEST_MAX)} entry
        ), begun as (
          select * from read_model.search_entries
          where ${ofKind('each_kind')} and lower(title) ~>=~ p_whole and lower(title) ~<~ beyond
          order by lower(title) using ~<~, created_at desc limit ${NAMED_MAX}
        ), older as (
          select older.* from (
            select each_kind as lacking, array_agg(searched) as texts, min(created_at) as oldest
            from newest
            having count(*) = ${NEWEST_MAX} and count(*) filter (where is_hit) < p_max) kinds
          cross join lateral read_model.find_older(lacking, p_patterns, texts, oldest) older
        ), hits as (
          ${ranked('newest where is_hit')}
          union ${ranked('begun')}
          union ${ranked('older')}
        )
        select * from hits order by rank, created_at desc, entry_id limit p_max) best
      cross join lateral
        ${rowOf('search_entries', 'entry_id = best.entry_id and organization_id = mine')} entry;
    if found then return; end if;
    return query
      select near.kind, near.entry_id, near.title,
        coalesce(near.label, nullif(left(near.description, ${SHOWN_MAX}), '')),
        near.agent_id, near.created_at,
        (6 - near.alike)::real
      from (
        select newest.*, extensions.word_similarity(p_whole, newest.title) as alike from (
          select * from read_model.search_entries
          where organization_id = mine and deleted_at is null and ${NAMED}
          order by created_at desc limit ${COMPARED_MAX}) newest) near
      where near.alike >= ${NEAR};`,
};

/** Patterns as the trigram index sees them: at least three letters or digits in a row. */
const INDEXED_WORDS = `(
  select distinct regexp_replace(pattern, '[^[:alnum:]]+', '%', 'g') as indexed
  from unnest(p_patterns) pattern where pattern ~ '[[:alnum:]]{3}') indexed_word`;

/**
 * Older entries of a kind that match all patterns, found by the rarest word in `p_newest`, the
 * texts of the newest entries. The index has no words of one or two letters. Without a rare word in
 * the index, the newest entries up to `p_oldest` are searched.
 */
const findOlder: StoredFunction = {
  caller: 'query',
  sortsLittle: true,
  plansOnce: true,
  arguments: { kind: 'text', patterns: 'text[]', newest: 'text[]', oldest: 'timestamptz' },
  returns: 'entry_id uuid, created_at timestamptz, title text',
  declares: 'rarest text;',
  body: `
    select indexed into rarest from (
      select indexed, (select count(*) from unnest(p_newest) text where text like indexed) as held
      from (select * from ${INDEXED_WORDS} order by length(indexed) desc limit ${WORDS_MAX}) word
      offset 0) counted
    where held < ${COMMON} order by held, length(indexed) desc limit 1;
    if rarest is null then
      return query select entry_id, created_at, title
        from ${newestOf('p_kind', OLDER_MAX, 'p_oldest')} newer where searched like all (p_patterns);
      return;
    end if;
    return query select entry_id, created_at, title from (
      select *, ${TEXT} as searched from read_model.search_entries
      where ${SCOPE} = mine::text || p_kind and deleted_at is null and ${TEXT} like rarest
      limit ${OLDER_MAX}) older
    where searched like all (p_patterns);`,
};

/** Names of objects, and inputs of tasks and sessions, in one table for one search. */
export const searchModel = readModel({
  name: 'search-entries',
  feature: 'search',
  version: 1,
  tables: {
    search_entries: table({
      key: ['entry_id'],
      columns: {
        entry_id: uuid,
        organization_id: uuid,
        kind: textOf<(typeof KINDS)[number]>(),
        /** For a task or session the beginning of its input. */
        title: text,
        /** An agent's role, or a category. */
        label: orNull(text),
        description: text,
        tags: text,
        agent_id: orNull(uuid),
        created_at: timestamp,
        deleted_at: orNull(timestamp),
      },
      indexes: [
        // Every search scans the pending entries of the index, so the list is short.
        `using gin ((${SCOPE}) extensions.text_ops, (${TEXT}) extensions.gin_trgm_ops) with (gin_pending_list_limit = 128) where deleted_at is null`,
        '(organization_id, kind, lower(title) text_pattern_ops, created_at desc) where deleted_at is null',
        '(organization_id, kind, created_at desc) where deleted_at is null',
        `(organization_id, created_at desc) where deleted_at is null and ${NAMED}`,
      ],
    }),
  },
  functions: { find_older: findOlder, find_hits: findHits },
});

/** A passage without the title of its article if it begins with it. */
const PASSAGE = `
  case when lower(btrim(split_part(p.text, E'\\n', 1))) = lower(btrim(a.title))
    then nullif(btrim(substr(p.text, position(E'\\n' in p.text || E'\\n') + 1), E' \\n\\r'), '')
    else p.text end`;

/** Articles that match in their text and not already by name. */
const IN_TEXT = `
  select 'article', a.article_id, a.title,
    left(coalesce(p.heading, ${PASSAGE}, a.category), ${SHOWN_MAX}), null::uuid, a.created_at, 5
  from read_model.search_passages((select whole from sought), ${PASSAGES_MAX}) p
  cross join lateral ${rowOf('articles', 'article_id = p.article_id')} a
  where not exists (select from named n where n.id = p.article_id)`;

/** Only Admins have access to members. */
const MEMBERS = `
  select 'member', m.user_id, m.username, m.email, null::uuid, m.joined_at,
    case when starts_with(lower(m.username), s.whole) then 1 else 3 end
  from (select * from read_model.members
    where organization_id = me.organization_id and me.role = 'Admin'
      and status not in ('joining', 'erased')
    order by organization_id desc, joined_at desc, user_id desc limit ${MEMBERS_MAX}) m
  cross join sought s
  where lower(m.username || ' ' || m.email) like all (s.patterns)`;

/**
 * Matches of all words, grouped by kind: best kind first, newest first among equal hits. If nothing
 * matches, the most similar names.
 */
export const readSearch = readMany(
  'search',
  { q: 'text', limit: 'int' },
  `with sought as (
     select lower(p_q) as whole, array(select '%' || ${escaped('word')} || '%'
       from regexp_split_to_table(lower(p_q), '\\s+') word) as patterns
     where p_q <> ''
   ), named as materialized (
     select f.* from sought s, read_model.find_hits(s.whole, s.patterns, p_limit) f
   ), ranked as (
     select *, row_number() over (partition by kind order by rank, created_at desc, id) as place
     from (select * from named union all ${IN_TEXT} union all ${MEMBERS})
       hits (kind, id, title, detail, agent_id, created_at, rank)
   )
   select kind, json_agg(json_build_object('id', id, 'title', left(title, ${SHOWN_MAX}),
     'detail', case when lower(detail) <> lower(title) then detail end) order by place) as hits
   from (select kind, id, title, rank, place, coalesce(detail, (select a.name
       from read_model.agents a where a.agent_id = ranked.agent_id)) as detail
     from ranked where place <= p_limit) shown
   group by kind order by min(rank), kind`,
);
