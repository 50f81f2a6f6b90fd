import type { StoredFunction } from '../../kernel/read-model.ts';

/** A word that stands in more passages than this tells little; they are not counted further. */
const COMMON = 1_000;
/** Rarer words first, words are looked for until about as many passages were found. */
const RANKED = 4_000;
/** Of these, so many of the best are asked for the words that are left, one by one. */
const COMPARED = 500;
/** Words of the articles that are taken for a misspelt one, or hold it as a part. */
const SIMILAR_MAX = 8;

/** Lexemes of a text in every language that the articles have; any of them will do. */
const anyLexeme = (text: string) => `(
  select string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', ' | ')
  from (select distinct unnest(tsvector_to_array(to_tsvector(config, ${text}))) as lexeme
    from unnest(configs) config) lexemes)::tsquery`;

const passagesHolding = (query: string) => `
  read_model.passages p
  where p.organization_id = mine and p.is_current and p.search @@ ${query}`;

/**
 * The passages, at most `p_max`, that hold most of the weight of a question's words, among the
 * articles that an agent may use: those assigned to it and the public ones. Each of `p_words` is a
 * word followed by others that stand for it. A word weighs the more the fewer passages hold it.
 */
export const findPassages: StoredFunction = {
  caller: 'command',
  arguments: { words: 'text[]', assigned: 'uuid[]', max: 'int' },
  returns: `article_id uuid, version int, title text, ordinal int, heading text, text text`,
  declares: `
    configs regconfig[];
    has_compounds boolean;
    entry text;
    asked text;
    others text;
    query tsquery;
    n int;
    queries tsquery[] := '{}';
    counts int[] := '{}';`,
  body: `
    select array_agg(distinct a.language::regconfig),
        bool_or(a.language in ('german', 'dutch'))
      into configs, has_compounds
      from read_model.articles a
      where a.organization_id = mine and a.deleted_at is null
        and (a.is_public or a.article_id = any(p_assigned));
    if configs is null then return; end if;
    foreach entry in array p_words loop
      asked := split_part(entry, ' ', 1);
      others := null;
      query := ${anyLexeme('entry')};
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
    return query
      with asked_words as materialized (
        select q.query, 1 / ln(2 + q.n) as weight,
          sum(q.n) over (order by q.n, q.at rows unbounded preceding) - q.n as rarer
        from unnest(queries, counts) with ordinality q(query, n, at)),
      held as materialized (
        select h.article_id, h.version, h.ordinal, sum(w.weight) as weight
        from asked_words w cross join lateral (
          select p.article_id, p.version, p.ordinal from ${passagesHolding('w.query')}) h
        where w.rarer < ${RANKED}
        group by h.article_id, h.version, h.ordinal),
      best as materialized (
        select h.*, a.title from held h
        join read_model.articles a on a.article_id = h.article_id and a.version = h.version
        where a.organization_id = mine and a.deleted_at is null
          and (a.is_public or a.article_id = any(p_assigned))
        order by h.weight desc, h.article_id, h.ordinal limit ${COMPARED})
      select p.article_id, p.version, b.title, p.ordinal, p.heading, p.text
      from best b join read_model.passages p using (article_id, version, ordinal)
      where p.organization_id = mine
      order by b.weight + coalesce((select sum(w.weight) from asked_words w
          where w.rarer >= ${RANKED} and p.search @@ w.query), 0) desc, p.article_id, p.ordinal
      limit p_max;`,
};

/** The languages of an organization's articles, each by one look into the index. */
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
 * The articles, at most `p_max`, whose newest version holds a text in one passage, words of their
 * language in any form, with the passage that holds it best.
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
