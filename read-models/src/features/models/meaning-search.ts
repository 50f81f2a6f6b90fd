import { readOne } from '../../kernel/read.ts';

/**
 * The worker stores which model is in use, and the vectors. `offset 0` makes each passage's vector a
 * look-up by its key: a join with the view would read all vectors for each passage.
 */
export const readMeaningSearch = readOne(
  'meaning_search',
  {},
  `select coalesce(o.embedding_source, 'default') as source,
     o.embedding_connection as "connectionId", e.model,
     coalesce((select c.count from read_model.article_counts c
       where c.organization_id = me.organization_id), 0)::int as articles,
     case when e.space is null then 0 else (
       select count(*) from read_model.articles a
       where a.organization_id = me.organization_id and a.deleted_at is null and not exists (
         select from read_model.passages p
         where p.article_id = a.article_id and p.version = a.version and not exists (
           select from operational.organization_vectors v
           where v.organization_id = me.organization_id and v.article_id = p.article_id
             and v.passage_hash = p.hash and v.space = e.space offset 0))) end::int as embedded,
     coalesce(e.input_tokens, 0) as "inputTokens", coalesce(e.is_estimated, false) as "isEstimated",
     e.failure
   from read_model.organizations o
   left join operational.organization_embedding e on e.organization_id = o.organization_id
   where o.organization_id = me.organization_id`,
);
