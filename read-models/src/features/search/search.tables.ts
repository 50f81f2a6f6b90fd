import { orNull, text, textOf, timestamp, uuid } from '../../kernel/columns.ts';
import { readMany } from '../../kernel/read.ts';
import { readModel, type StoredFunction, table } from '../../kernel/read-model.ts';

/** What is searched of a long text. */
export const SEARCHED_TEXT_MAX = 500;
const SHOWN_MAX = 200;
/** Of each kind so many of the newest are looked through. */
const NEWEST_MAX = 300;
/** Of each kind so many names that begin with the words are ranked. */
const NAMED_MAX = 100;
/** Where these hold too little, so many that hold the rarest word, or that are the next. */
const OLDER_MAX = 700;
/** Of so many of the longest words it is found out how rare they are. */
const WORDS_MAX = 5;
/** A word that so many of the newest hold is in too many others to be looked for among them. */
const COMMON = NEWEST_MAX / 10;
/** Names of so many newest things are compared where nothing holds the words. */
const COMPARED_MAX = 500;
/** The share of the trigrams of what was typed that a name must have in a row. */
const NEAR = 0.5;
/** So many of the newest members are looked through. */
const MEMBERS_MAX = 1_000;
/** Articles that hold the words in their text only. */
const PASSAGES_MAX = 20;

const TEXT = `lower(title || ' ' || description || ' ' || coalesce(label, '') || ' ' || tags)`;
/** What no other index begins with, so that none is taken in the place of that of texts. */
const SCOPE = '(organization_id::text || kind)';
/** For a pattern of `like`, in which the text stands for itself. */
const escaped = (text: string) =>
  `replace(replace(replace(${text}, '\\', '\\\\'), '%', '\\%'), '_', '\\_')`;

/** One row by its key: the limit keeps the planner from reading the whole table for a few. */
const rowOf = (table: string, condition: string) =>
  `(select * from read_model.${table} where ${condition} limit 1)`;

/** Ends the range of names that begin with a text. */
const LAST_CHARACTER = 'chr(1114111)';

const NAMED = `kind not in ('task', 'session')`;

const KINDS = ['agent', 'article', 'playbook', 'tool', 'task', 'session'] as const;

const ofKind = (kind: string) => `organization_id = mine and kind = ${kind} and deleted_at is null`;

/** The newest of a kind until a moment, with what is searched. */
const newestOf = (kind: string, max: number, until = `'infinity'`) => `(
  select entry_id, created_at, title, ${TEXT} as searched
  from read_model.search_entries where ${ofKind(kind)} and created_at <= ${until}
  order by created_at desc limit ${max})`;

/** Hits with their rank, which falls with how good one is. */
const ranked = (hits: string) => `
  select entry_id, created_at, case when name = p_whole then 0
    when starts_with(name, p_whole) then 1 when position(' ' || p_whole in name) > 0 then 2
    when position(p_whole in name) > 0 then 3 else 4 end as rank
  from (select entry_id, created_at, lower(title) as name from ${hits}) named`;

/**
 * Of each kind the best that hold all patterns anywhere in their texts; where nothing does, what has
 * a name like `p_whole`. `p_whole` is what was typed, in small letters. However many entries there
 * are, a bounded number is looked through: the names that begin so, the newest, and some of the
 * others where the newest hold too little.
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

/** Patterns as the index sees them: of letters and digits, three in a row at least. */
const INDEXED_WORDS = `(
  select distinct regexp_replace(pattern, '[^[:alnum:]]+', '%', 'g') as indexed
  from unnest(p_patterns) pattern where pattern ~ '[[:alnum:]]{3}') indexed_word`;

/**
 * More of a kind that holds all patterns: those that an index finds by the word that the fewest of
 * `p_newest`, the texts of the newest, hold. The index knows no words of one or two letters. Without
 * a word that is rare and known to it, the newest until `p_oldest` are looked through.
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

/** What has a name, and what was asked of agents, in one table for one look. */
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
        /** Of a task or session the beginning of what was asked. */
        title: text,
        /** An agent's role, a category. */
        label: orNull(text),
        description: text,
        tags: text,
        agent_id: orNull(uuid),
        created_at: timestamp,
        deleted_at: orNull(timestamp),
      },
      indexes: [
        // Each search goes through what waits to be put into the index, which therefore is little.
        `using gin ((${SCOPE}) extensions.text_ops, (${TEXT}) extensions.gin_trgm_ops) with (gin_pending_list_limit = 128) where deleted_at is null`,
        '(organization_id, kind, lower(title) text_pattern_ops, created_at desc) where deleted_at is null',
        '(organization_id, kind, created_at desc) where deleted_at is null',
        `(organization_id, created_at desc) where deleted_at is null and ${NAMED}`,
      ],
    }),
  },
  functions: { find_older: findOlder, find_hits: findHits },
});

/** A passage without the title of its article, where that stands above its text once more. */
const PASSAGE = `
  case when lower(btrim(split_part(p.text, E'\\n', 1))) = lower(btrim(a.title))
    then nullif(btrim(substr(p.text, position(E'\\n' in p.text || E'\\n') + 1), E' \\n\\r'), '')
    else p.text end`;

/** An article is found by its name or by its text, with the place, not twice. */
const IN_TEXT = `
  select 'article', a.article_id, a.title,
    left(coalesce(p.heading, ${PASSAGE}, a.category), ${SHOWN_MAX}), null::uuid, a.created_at, 5
  from read_model.search_passages((select whole from sought), ${PASSAGES_MAX}) p
  cross join lateral ${rowOf('articles', 'article_id = p.article_id')} a
  where not exists (select from named n where n.id = p.article_id)`;

/** Their page is the Admins'. */
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
 * What holds all words of a text, by kind: the kind with the best hit first, the newest of equally
 * good hits first. Where nothing does, the names that are nearest to it.
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
