import { readMany, readModel, type StoredFunction } from '../../kernel/read-model.ts';

/** What is searched of a long text. */
export const SEARCHED_TEXT_MAX = 500;
const SHOWN_MAX = 200;
/** Of each kind so many of the newest are looked through. */
const NEWEST_MAX = 300;
/** Of each kind so many names that begin with the words are ranked. */
const NAMED_MAX = 100;
/** Where the newest of a kind hold too little, so many others that hold the rarest word. */
const OLDER_MAX = 1_000;
/** Of so many of the longest words it is found out how rare they are. */
const WORDS_MAX = 5;
/** A word that so many of the newest hold is in too many others to be looked for among them. */
const COMMON = NEWEST_MAX / 10;
/** Names of so many newest things are compared where nothing holds the words. */
const COMPARED_MAX = 500;
/** The share of the trigrams of what was typed that a name must have in a row. */
const NEAR = 0.5;
/** Articles that hold the words in their text only. */
const PASSAGES_MAX = 20;

const TEXT = `lower(title || ' ' || description || ' ' || coalesce(label, '') || ' ' || tags)`;
/** For a pattern of `like`, in which the text stands for itself. */
const escaped = (text: string) =>
  `replace(replace(replace(${text}, '\\', '\\\\'), '%', '\\%'), '_', '\\_')`;

const NAMED = `kind not in ('task', 'session')`;

const KINDS = ['agent', 'article', 'playbook', 'tool', 'task', 'session'] as const;

const OF_KIND = 'organization_id = mine and kind = each_kind and deleted_at is null';
const NEWEST = `(select * from read_model.search_entries where ${OF_KIND}
  order by created_at desc limit ${NEWEST_MAX})`;

/** Patterns, with what the index sees of them: letters and digits, and three in a row at least. */
const WORDS = `(select pattern, indexed, indexed ~ '[[:alnum:]]{3}' as is_indexed
  from (select distinct pattern, regexp_replace(pattern, '[^[:alnum:]]+', '%', 'g') as indexed
    from unnest(p_patterns) pattern) each_word
  order by length(pattern) desc limit ${WORDS_MAX})`;

/**
 * What holds all patterns anywhere in its texts, kind by kind; where nothing does, what has a name
 * like `p_whole`. `p_whole` is what was typed, in small letters, `rank` falls with how good a hit
 * is. However many entries there are, a bounded number is looked through: the names that begin so,
 * the newest, and of the others those that an index finds by the word that the fewest of the newest
 * hold.
 */
const findHits: StoredFunction = {
  caller: 'query',
  sortsLittle: true,
  arguments: { whole: 'text', patterns: 'text[]', max: 'int' },
  returns: `kind text, id uuid, title text, detail text, agent_id uuid, created_at timestamptz,
    rank real`,
  declares: `
    beginning text := ${escaped('p_whole')} || '%';
    rarest text;
    each_kind text;
    held int;
    hits int;
    is_found bool := false;
    with_older bool;`,
  body: `
    foreach each_kind in array array[${KINDS.map((kind) => `'${kind}'`).join(', ')}] loop
      select count(*) filter (where ${TEXT} like all (p_patterns)), count(*) = ${NEWEST_MAX}
        into hits, with_older from ${NEWEST} newest;
      with_older := with_older and hits < p_max;
      if with_older then
        select word.pattern, count(newest.entry_id) into rarest, held
        from ${WORDS} word left join ${NEWEST} newest on ${TEXT} like word.indexed
        group by word.pattern, word.is_indexed
        order by word.is_indexed desc, 2, length(word.pattern) desc limit 1;
        with_older := held < ${COMMON};
      end if;
      return query
        select held.kind, held.entry_id, held.title,
          coalesce(held.label, nullif(left(held.description, ${SHOWN_MAX}), '')),
          held.agent_id, held.created_at,
          (case when lower(held.title) = p_whole then 0
            when starts_with(lower(held.title), p_whole) then 1
            when position(' ' || p_whole in lower(held.title)) > 0 then 2
            when position(p_whole in lower(held.title)) > 0 then 3 else 4 end)::real
        from (
          (select * from read_model.search_entries
            where ${OF_KIND} and lower(title) like beginning
            order by lower(title), created_at desc limit ${NAMED_MAX})
          union
          (select * from ${NEWEST} newest where ${TEXT} like all (p_patterns))
          union
          (select * from (select * from read_model.search_entries
              where with_older and ${OF_KIND} and ${TEXT} like rarest limit ${OLDER_MAX}) older
            where ${TEXT} like all (p_patterns))) held;
      is_found := is_found or found;
    end loop;
    if is_found then return; end if;
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

/** What has a name, and what was asked of agents, in one table for one look. */
export const searchModel = readModel({
  name: 'search-entries',
  feature: 'search',
  version: 1,
  tables: {
    search_entries: `
      entry_id uuid primary key,
      organization_id uuid not null,
      kind text not null,
      title text not null,
      label text,
      description text not null,
      tags text not null,
      agent_id uuid,
      created_at timestamptz not null,
      deleted_at timestamptz`,
  },
  indexes: [
    `create index on read_model.search_entries
      using gin (organization_id extensions.uuid_ops, kind extensions.text_ops,
        (${TEXT}) extensions.gin_trgm_ops) where deleted_at is null`,
    `create index on read_model.search_entries
      (organization_id, kind, lower(title) text_pattern_ops, created_at desc)
      where deleted_at is null`,
    `create index on read_model.search_entries (organization_id, kind, created_at desc)
      where deleted_at is null`,
    `create index on read_model.search_entries (organization_id, created_at desc)
      where deleted_at is null and ${NAMED}`,
  ],
  functions: { find_hits: findHits },
});

export type SearchEntriesTable = {
  entry_id: string;
  organization_id: string;
  kind: (typeof KINDS)[number];
  /** Of a task or session the beginning of what was asked. */
  title: string;
  /** An agent's role, a category. */
  label: string | null;
  description: string;
  tags: string;
  agent_id: string | null;
  created_at: string;
  deleted_at: string | null;
};

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
  join read_model.articles a on a.article_id = p.article_id
  where not exists (select from named n where n.id = p.article_id)`;

/** Their page is the Admins'. */
const MEMBERS = `
  select 'member', m.user_id, m.username, m.email, null::uuid, m.joined_at,
    case when starts_with(lower(m.username), s.whole) then 1 else 3 end
  from read_model.members m cross join sought s
  where m.organization_id = me.organization_id and me.role = 'Admin'
    and m.status not in ('joining', 'erased')
    and lower(m.username || ' ' || m.email) like all (s.patterns)`;

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
