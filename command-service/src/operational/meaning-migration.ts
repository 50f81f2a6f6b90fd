import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/**
 * Vectors of passages, and the state of their making. Derived from the articles. `space` names the
 * endpoint and model: only vectors of one space can be compared. With pgvector, each number of
 * dimensions gets an HNSW index.
 */
export const meaningMigration: Migration = {
  id: '0029-meaning',
  sql: `
    drop table operational.passage_vectors;
    create table operational.passage_vectors (
      organization_id uuid not null,
      article_id uuid not null,
      passage_hash uuid not null,
      space uuid not null,
      bits bit varying not null,
      vector real[] not null,
      primary key (organization_id, article_id, passage_hash));
    -- Numbers can't be compressed, and trying takes long.
    alter table operational.passage_vectors alter column vector set storage external;
    alter table operational.passage_vectors alter column organization_id set statistics 0;
    alter table operational.passage_vectors enable row level security;
    alter table operational.passage_vectors force row level security;
    create policy tenant on operational.passage_vectors using
      (organization_id = nullif(current_setting('tallyhand.organization_id', true), '')::uuid);
    create policy owner on operational.passage_vectors for select to current_user using (true);
    create table operational.embeddings (
      organization_id uuid primary key,
      -- The model in use, and that of the installation when this was looked at; null without one.
      space uuid,
      model text,
      default_space uuid,
      input_tokens bigint not null default 0,
      is_estimated boolean not null default false,
      failure jsonb,
      failures int not null default 0,
      -- The newest change that may leave something to embed, and when to look; null: nothing is left.
      position text,
      next_at timestamptz,
      -- Until then, a worker embeds for the organization.
      leased_until timestamptz);
    create index on operational.embeddings (next_at) where next_at is not null;
    create view operational.organization_embedding with (security_barrier) as
      select organization_id, space, model, input_tokens, is_estimated, failure
      from operational.embeddings
      where organization_id = nullif(current_setting('tallyhand.organization_id', true), '')::uuid;
    create view operational.organization_vectors with (security_barrier) as
      select organization_id, space, article_id, passage_hash from operational.passage_vectors
      where organization_id = nullif(current_setting('tallyhand.organization_id', true), '')::uuid;
    -- Returns whether there is an index for vectors of so many dimensions.
    create function operational.index_vectors(p_dimensions int) returns boolean
      language plpgsql security definer set search_path = pg_catalog as $$
      declare
        index_name text := 'passage_vectors_hnsw_' || p_dimensions;
      begin
        if to_regtype('extensions.halfvec') is null or p_dimensions not between 1 and 4000 then
          return false;
        end if;
        if to_regclass('operational.' || index_name) is not null then return true; end if;
        -- Endpoints choose the number: it must not make more and more indexes.
        if (select count(*) from pg_class
            where relnamespace = 'operational'::regnamespace
              and starts_with(relname, 'passage_vectors_hnsw_')) >= 20 then
          return false;
        end if;
        execute format('create index if not exists %I on operational.passage_vectors
          using hnsw ((vector::extensions.halfvec(%s)) extensions.halfvec_cosine_ops)
          where cardinality(vector) = %s', index_name, p_dimensions, p_dimensions);
        return true;
      end $$;
  `,
};

/**
 * The numbers of each vector as bytes: four each, the most significant first. An exact comparison
 * reads them several times faster than a `real[]`, which the index of pgvector needs.
 */
export const vectorBytesMigration: Migration = {
  id: '0035-vector-bytes',
  sql: `
    alter table operational.passage_vectors add column numbers bytea;
    alter table operational.passage_vectors alter column numbers set storage external;
    alter table operational.passage_vectors no force row level security;
    update operational.passage_vectors v set numbers = (
      select coalesce(string_agg(float4send(n.number), ''::bytea order by n.place), ''::bytea)
      from unnest(v.vector) with ordinality n (number, place));
    alter table operational.passage_vectors force row level security;
    alter table operational.passage_vectors alter column numbers set not null;
  `,
};
