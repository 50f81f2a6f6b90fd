import { Article } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  bigint,
  boolean,
  int,
  orNull,
  searchVector,
  text,
  texts,
  uuid,
} from '../../kernel/columns.ts';
import { isShortened, shortened } from '../../kernel/read.ts';
import { readModel, type StoredFunction, table } from '../../kernel/read-model.ts';
import {
  versionedColumns,
  versionedIndexes,
  versionedObject,
} from '../../kernel/versioned-object.ts';

/** A word in more passages than this says little, so counting stops here. */
const COMMON = 1_000;
/** Words are searched, rarest first, until about this many passages are found. */
const RANKED = 4_000;
/** So many of these, the best, are compared with the remaining words, if there are any. */
const COMPARED = 500;
/** Words of the articles that replace a misspelled word or contain it. */
const SIMILAR_MAX = 8;

/** A query for any lexeme of a text, in every language of the articles. */
const anyLexeme = (text: string) => `(
  select string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', ' | ')
  from (select distinct unnest(tsvector_to_array(to_tsvector(config, ${text}))) as lexeme
    from unnest(configs) config) lexemes)::tsquery`;

const passagesHolding = (query: string) => `
  read_model.passages p
  where p.organization_id = mine and p.is_current and p.search @@ ${query}`;

/** The languages of an organization's articles: one index lookup for each. */
const LANGUAGES = `with recursive languages as (
    (select language from read_model.articles
      where organization_id = mine and deleted_at is null order by language limit 1)
    union all
    select (select a.language from read_model.articles a
      where a.organization_id = mine and a.deleted_at is null and a.language > l.language
      order by a.language limit 1)
    from languages l where l.language is not null)
  select language from languages where language is not null`;

/**
 * The passages that match a question best, at most `p_max`, from the articles that an agent may
 * use: assigned and public ones. Each of `p_words` is a word followed by its synonyms. Rare words
 * weigh more.
 */
export const findPassages: StoredFunction = {
  caller: 'command',
  plansOnce: true,
  arguments: { words: 'text[]', assigned: 'uuid[]', max: 'int' },
  returns: `article_id uuid, version int, title text, ordinal int, heading text, text text`,
  declares: `
    configs regconfig[];
    has_compounds boolean;
    each int;
    asked text;
    others text;
    wanted tsquery[];
    query tsquery;
    n int;
    queries tsquery[] := '{}';
    counts int[] := '{}';
    compared int := p_max;`,
  body: `
    select array_agg(l.language::regconfig), bool_or(l.language in ('german', 'dutch'))
      into configs, has_compounds
      from (${LANGUAGES}) l
      cross join lateral (select from read_model.articles a
        where a.organization_id = mine and a.deleted_at is null and a.language = l.language
          and (a.is_public or a.article_id = any(p_assigned)) limit 1) allowed;
    if configs is null then return; end if;
    select array_agg(${anyLexeme('w.words')} order by w.at) into wanted
      from unnest(p_words) with ordinality w(words, at);
    for each in 1 .. coalesce(cardinality(wanted), 0) loop
      asked := split_part(p_words[each], ' ', 1);
      others := null;
      query := wanted[each];
      continue when query is null;
      if has_compounds and length(asked) >= 5 then
        select string_agg(v.word, ' ') into others from (
          select w.word from read_model.passage_words w
          where w.organization_id = mine and w.word like '%' || asked || '%'
          order by length(w.word), w.word limit ${SIMILAR_MAX}) v;
      end if;
      select count(*) into n
        from (select from ${passagesHolding('query')} limit ${COMMON}) held;
      if n = 0 and others is null and length(asked) >= 4 then
        select string_agg(v.word, ' ') into others from (
          select w.word from read_model.passage_words w
          where w.organization_id = mine and w.word operator(extensions.%) asked
          order by extensions.similarity(w.word, asked) desc, w.word limit ${SIMILAR_MAX}) v;
      end if;
      if others is not null then
        query := query || ${anyLexeme('others')};
        select count(*) into n
          from (select from ${passagesHolding('query')} limit ${COMMON}) held;
      end if;
      continue when n = 0;
      queries := queries || query;
      counts := counts || n;
    end loop;
    if (select sum(c) - max(c) from unnest(counts) c) >= ${RANKED} then compared := ${COMPARED}; end if;
    return query
      with asked_words as materialized (
        select q.query, 1 / ln(2 + q.n) as weight,
          sum(q.n) over (order by q.n, q.at rows unbounded preceding) - q.n as rarer
        from unnest(queries, counts) with ordinality q(query, n, at)),
      held as materialized (
        select h.article_id, h.version, h.ordinal, sum(w.weight) as weight
        from asked_words w cross join lateral (
          select p.article_id, p.version, p.ordinal from ${passagesHolding('w.query')}
          offset 0) h
        where w.rarer < ${RANKED}
        group by h.article_id, h.version, h.ordinal),
      best as materialized (
        select h.*, a.title
        from (select * from held order by weight desc, article_id, ordinal) h
        cross join lateral (select a.title from read_model.articles a
          where a.article_id = h.article_id and a.version = h.version
            and a.organization_id = mine and a.deleted_at is null
            and (a.is_public or a.article_id = any(p_assigned)) limit 1) a
        order by h.weight desc, h.article_id, h.ordinal limit compared)
      select p.article_id, p.version, b.title, p.ordinal, p.heading, p.text
      from best b cross join lateral (select p.* from read_model.passages p
        where p.article_id = b.article_id and p.version = b.version and p.ordinal = b.ordinal
          and p.organization_id = mine limit 1) p
      order by b.weight + coalesce((select sum(w.weight) from asked_words w
          where w.rarer >= ${RANKED} and p.search @@ w.query), 0) desc, p.article_id, p.ordinal
      limit p_max;`,
};

/** Fewer vectors are compared one by one: an index over all organizations would find them later. */
const INDEXED_MIN = 2_000;
/** HNSW indexes of pgvector's `halfvec` have at most so many. */
const INDEXED_DIMENSIONS_MAX = 4_000;

/**
 * The passages whose vectors are closest to a question's, at most `p_max`, from the articles that an
 * agent may use. `vector`: its numbers as bytes, for an exact comparison. Without
 * pgvector, and where its index finds too few, closeness is the number of equal signs.
 */
export const findNearPassages: StoredFunction = {
  caller: 'command',
  arguments: { space: 'uuid', bits: 'text', vector: 'real[]', assigned: 'uuid[]', max: 'int' },
  returns: `article_id uuid, version int, title text, ordinal int, heading text, text text,
    vector bytea`,
  declares: `
    asked varbit := p_bits::varbit;
    allowed uuid[];
    near_articles uuid[];
    near_hashes uuid[];
    dimensions int := cardinality(p_vector);
    sorting text := current_setting('enable_sort');`,
  body: `
    select array_agg(a.article_id) into allowed from read_model.articles a
      where a.organization_id = mine and a.deleted_at is null
        and (a.is_public or a.article_id = any(p_assigned));
    if allowed is null then return; end if;
    if dimensions <= ${INDEXED_DIMENSIONS_MAX}
        and to_regclass('operational.passage_vectors_hnsw_' || dimensions) is not null
        and (select count(*) from (select from operational.passage_vectors v
          where v.organization_id = mine and v.space = p_space
          limit ${INDEXED_MIN}) known) = ${INDEXED_MIN} then
      perform set_config('hnsw.iterative_scan', 'relaxed_order', true),
        set_config('hnsw.ef_search', p_max::text, true), set_config('enable_sort', 'off', true);
      execute format('select array_agg(n.article_id), array_agg(n.passage_hash) from (
          select v.article_id, v.passage_hash from operational.passage_vectors v
          where v.organization_id = $1 and v.space = $2 and v.article_id = any($3)
            and cardinality(v.vector) = %1$s
          order by v.vector::extensions.halfvec(%1$s)
            operator(extensions.<=>) $4::extensions.halfvec(%1$s)
          limit $5) n', dimensions)
        into near_articles, near_hashes using mine, p_space, allowed, p_vector, p_max;
      perform set_config('enable_sort', sorting, true);
    end if;
    if coalesce(cardinality(near_articles), 0) < p_max then
      select array_agg(n.article_id), array_agg(n.passage_hash) into near_articles, near_hashes
      from (select v.article_id, v.passage_hash from operational.passage_vectors v
        where v.organization_id = mine and v.space = p_space and v.article_id = any(allowed)
          and length(v.bits) = length(asked)
        order by case when length(v.bits) = length(asked) then bit_count(v.bits # asked) end,
          v.article_id, v.passage_hash
        limit p_max) n;
    end if;
    return query
      select p.article_id, p.version, a.title, p.ordinal, p.heading, p.text, v.numbers
      from unnest(near_articles, near_hashes) n(article_id, passage_hash)
      join operational.passage_vectors v
        on v.organization_id = mine and v.article_id = n.article_id
          and v.passage_hash = n.passage_hash
      join read_model.articles a on a.article_id = n.article_id
      join read_model.passages p
        on p.article_id = n.article_id and p.version = a.version and p.hash = n.passage_hash
      where p.organization_id = mine and a.organization_id = mine and a.deleted_at is null
        and v.space = p_space;`,
};

/**
 * The articles, at most `p_max`, whose newest version has a passage with all words, in any form,
 * and the best passage of each.
 */
export const searchPassages: StoredFunction = {
  caller: 'query',
  sortsLittle: true,
  plansOnce: true,
  arguments: { words: 'text', max: 'int' },
  returns: 'article_id uuid, heading text, text text',
  declares: 'wanted tsquery;',
  body: `
    select string_agg('(' || query::text || ')', ' | ')::tsquery into wanted from (
      select plainto_tsquery(language::regconfig, p_words) as query from (
        ${LANGUAGES}) languages) queries
    where numnode(query) > 0;
    if wanted is null then return; end if;
    return query
      select best.article_id, best.heading, best.text from (
        select distinct on (held.article_id) held.* from (
          select p.article_id, p.heading, p.text, ts_rank(p.search, wanted) as rank
          from ${passagesHolding('wanted')} limit ${COMMON}) held
        order by held.article_id, held.rank desc) best
      cross join lateral (select from read_model.articles a
        where a.article_id = best.article_id and a.deleted_at is null limit 1) kept
      order by best.rank desc, best.article_id limit p_max;`,
};

/**
 * Articles, and the passages of each version. `language` is the text search configuration of the
 * article; `is_current` marks passages of the newest version. `passage_words` has every word once,
 * to match misspelled words and parts of compounds.
 */
export const articlesModel = readModel({
  name: 'articles',
  feature: 'knowledge',
  version: 5,
  tables: {
    articles: table({
      key: ['article_id'],
      columns: {
        article_id: uuid,
        organization_id: uuid,
        title: text,
        content: text,
        category: text,
        tags: texts,
        is_public: boolean,
        language: text,
        ...versionedColumns,
      },
      indexes: [
        ...versionedIndexes('article'),
        '(organization_id, language) where deleted_at is null',
      ],
    }),
    /** Articles that are not deleted. */
    article_counts: table({
      key: ['organization_id'],
      columns: {
        organization_id: uuid,
        count: bigint,
      },
      counts: `select organization_id, count(*) from read_model.articles
      where deleted_at is null group by 1`,
    }),
    passages: table({
      key: ['article_id', 'version', 'ordinal'],
      columns: {
        organization_id: uuid,
        article_id: uuid,
        version: int,
        ordinal: int,
        heading: orNull(text),
        text: text,
        /** Of all that is embedded: a passage that did not change keeps its vector. */
        hash: uuid,
        search: searchVector,
        is_current: boolean,
      },
      indexes: [
        'using gin (organization_id extensions.uuid_ops, search) where is_current',
        // Not partial: of a small table, a search by words would read all of it by that index.
        '(article_id, version, hash)',
      ],
    }),
    passage_words: table({
      key: ['organization_id', 'word'],
      columns: {
        organization_id: uuid,
        word: text,
      },
      indexes: ['using gin (organization_id extensions.uuid_ops, word extensions.gin_trgm_ops)'],
    }),
  },
  functions: {
    find_passages: findPassages,
    find_near_passages: findNearPassages,
    search_passages: searchPassages,
  },
});

export const articles = versionedObject({
  kind: 'article',
  view: Article,
  table: articlesModel.tables.articles,
  columnOf: {},
  computed: {},
  inList: { content: shortened('o.content'), truncated: isShortened('o.content') },
  searched: ['o.title', 'o.category', `array_to_string(o.tags, E'\\n')`],
  filters: {
    category: { type: 'text', where: 'lower(o.category) = lower(p_category)' },
    tag: { type: 'text', where: 'lower(p_tag) = any(lower(o.tags::text)::text[])' },
    is_public: { type: 'boolean', where: 'o.is_public = p_is_public' },
  },
  asOf: {
    content: `coalesce(s.state->'content'->>'text',
      (select k.content from read_model.kept_text(s.state->'content'->>'hash') k))`,
  },
});
