import { hash } from 'node:crypto';
import { roleName, type ServiceRole } from '@tallyhand/service-kit/postgres/pool';
import pg from 'pg';
import type { Column } from './columns.ts';
import { OPERATING_FUNCTIONS, OPERATING_TABLE_NAMES, OPERATING_TABLES } from './operating.ts';
import type { Read } from './read.ts';
import { makeReads } from './read-functions.ts';
import type { ReadModel, Table } from './read-model.ts';

export const SCHEMA = 'read_model';

/** Where a rebuild fills its tables, beside those in use. */
export const NEXT_SCHEMA = 'read_model_next';

/**
 * pgvector, where the server has it: vectors are then found by an index. 0.8 is the first version whose
 * search goes on until enough of an organization's own vectors are found.
 */
const VECTORS = `do $vectors$ begin
    if exists (select from pg_available_extensions where name = 'vector'
        and default_version ~ '^(0\\.([89]|\\d{2,})|[1-9])') then
      create extension if not exists vector schema extensions;
    end if;
  exception when insufficient_privilege then
    raise notice 'pgvector may only be added by a superuser';
  end $vectors$;`;

const BASE = `
  create schema if not exists read_model;
  create schema if not exists read_model_next;
  create schema if not exists extensions;
  create extension if not exists pg_trgm schema extensions;
  create extension if not exists btree_gin schema extensions;
  ${VECTORS}
  create table if not exists read_model.models (
    name text primary key,
    definition text not null
  );
  alter table read_model.models add column if not exists ddl text not null default '',
    add column if not exists indexes text not null default '',
    add column if not exists tables text[] not null default '{}',
    add column if not exists is_outdated boolean not null default false;
  create table if not exists read_model.checkpoints (
    projection text primary key,
    version int not null,
    position text not null,
    commit_position bigint not null,
    prepare_position bigint not null
  );
  alter table read_model.checkpoints add column if not exists events bigint not null default 0;
  create table if not exists read_model.checks (
    projection text primary key,
    differences bigint not null
  );
  create table if not exists read_model_next.checks (like read_model.checks including all);
  ${OPERATING_TABLES}
  create or replace function read_model.check_differences()
    returns table (projection text, differences bigint) language sql stable
    security definer set search_path = pg_catalog as $$
      select c.projection, c.differences from read_model.checks c $$;
  create or replace function read_model.read_position() returns text language sql stable
    security definer set search_path = pg_catalog as $$
      select position from read_model.checkpoints
      order by commit_position, prepare_position limit 1 $$;
  ${OPERATING_FUNCTIONS}
`;

/** Creates tables, policies, grants and stored reads as declared; leaves alone what did not change. */
export async function makeReadModels(
  client: pg.Client,
  databaseUrl: string,
  models: readonly ReadModel[],
  reads: readonly Read[],
): Promise<void> {
  const role = (name: ServiceRole) => pg.escapeIdentifier(roleName(databaseUrl, name));
  const roles = { command: role('command'), projector: role('projector'), query: role('query') };
  await client.query('begin');
  const areKnown = await haveRights(client, roleName(databaseUrl, 'query'));
  await client.query(BASE);
  await client.query(`
    revoke all on schema read_model, read_model_next from public;
    revoke all on all functions in schema read_model from public;
    grant usage on schema read_model, extensions to ${Object.values(roles).join(', ')};
    grant usage on schema read_model_next to ${roles.projector};
    grant execute on function read_model.read_position() to ${roles.command}, ${roles.query};
    grant execute on function read_model.check_differences(), read_model.projection_states(),
      read_model.projector_state() to ${roles.query};
    grant execute on function read_model.make_next(text), read_model.index_next(text),
      read_model.drop_next(text), read_model.switch_to_next(text) to ${roles.projector};
    grant select, insert, update, delete on read_model.checkpoints, read_model.checks,
      read_model_next.checks, ${OPERATING_TABLE_NAMES.join(', ')} to ${roles.projector};
    grant select (name, tables, is_outdated) on read_model.models to ${roles.projector};
  `);
  const { rows: stored } = await client.query<StoredModel>(
    'select name, definition, ddl, indexes, tables from read_model.models',
  );
  for (const model of models) {
    const old = stored.find(({ name }) => name === model.name);
    await makeTables(client, model, old, roles);
  }
  if (!areKnown) {
    await client.query(models.map((model) => rightsAgainSql(model, roles)).join('\n'));
  }
  await makeReads(client, reads, roles.query, areKnown);
  await client.query('commit');
}

type Roles = Readonly<Record<ServiceRole, string>>;

/** False in a copy of another database, whose rights belong to roles with other names. */
async function haveRights(client: pg.Client, role: string): Promise<boolean> {
  const { rows } = await client.query<{ have: boolean | null }>(
    `select has_schema_privilege($1, to_regnamespace('${SCHEMA}')::oid, 'usage') as have`,
    [role],
  );
  return rows[0]?.have ?? true;
}

function rightsAgainSql(model: ReadModel, roles: Roles): string {
  const tables = Object.keys(model.tables).map((table) => {
    const name = tableName(table);
    return `drop policy tenant on ${name}; drop policy projector on ${name};
      ${rightsSql(name, roles)}`;
  });
  return [...tables, functionsSql(model, roles)].join('\n');
}

type StoredModel = {
  readonly name: string;
  readonly definition: string;
  readonly ddl: string;
  readonly indexes: string;
  readonly tables: readonly string[];
};

/**
 * A changed table that has rows stays in use, with new columns empty, until the projector has built
 * its replacement. A declaration whose text changed but not its meaning changes no table.
 */
async function makeTables(
  client: pg.Client,
  model: ReadModel,
  old: StoredModel | undefined,
  roles: Roles,
) {
  const definition = hash('sha256', JSON.stringify(model), 'hex');
  const [ddl, indexes] = [tablesSql(model, roles), indexesSql(model, 'indexes')];
  const isSameText = old?.definition === definition;
  if (isSameText && old.ddl === ddl && old.indexes === indexes) return;
  await client.query(
    `insert into read_model.models (name, definition, ddl, indexes, tables)
     values ($1, $2, $3, $4, $5)
     on conflict (name) do update set definition = excluded.definition, ddl = excluded.ddl,
       indexes = excluded.indexes, tables = excluded.tables`,
    [model.name, definition, ddl, indexes, Object.keys(model.tables)],
  );
  if (isSameText) return;
  const gone = old?.tables.filter((name) => !(name in model.tables)) ?? [];
  const declared = `${ddl}\n${indexes}`;
  await client.query(`create schema ${DECLARED_SCHEMA}`);
  await client.query(declared.replaceAll(`${SCHEMA}.`, `${DECLARED_SCHEMA}.`));
  const isSame = gone.length === 0 && (await areAsDeclared(client, model));
  if (!isSame) await changeTables(client, model, { gone, declared, roles });
  await client.query(`drop schema ${DECLARED_SCHEMA} cascade`);
  await client.query(functionsSql(model, roles));
}

/** Exists during a migration only: tables as declared, to compare those in use with. */
const DECLARED_SCHEMA = 'read_model_declared';

/** The indexes of a table that enforce no key: what follows `create index on` and its name. */
const indexesOf = (table: string) => `(
  select regexp_replace(pg_get_indexdef(i.indexrelid), '^CREATE INDEX \\S+ ON \\S+ ', '') as def
  from pg_index i where i.indrelid = ${table}
    and not exists (select from pg_constraint c where c.conindid = i.indexrelid))`;

/** Columns in their order, keys, indexes and policies of a table. */
const shapeOf = (schema: string) => `(
  select jsonb_build_array(
    (select jsonb_agg(jsonb_build_array(a.attname, format_type(a.atttypid, a.atttypmod),
        a.attnotnull, pg_get_expr(d.adbin, d.adrelid)) order by a.attnum)
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped),
    (select jsonb_agg(def order by def) from (select pg_get_constraintdef(c.oid) as def
      from pg_constraint c where c.conrelid = r.oid and c.contype in ('p', 'u')) constraints),
    (select jsonb_agg(i.def order by i.def) from ${indexesOf('r.oid')} i),
    (select jsonb_agg(p.polname order by p.polname) from pg_policy p where p.polrelid = r.oid))
  from to_regclass('${schema}.' || quote_ident(name)) r (oid))`;

async function areAsDeclared(client: pg.Client, model: ReadModel): Promise<boolean> {
  const { rows } = await client.query<{ differ: boolean }>(
    `select bool_or(${shapeOf(SCHEMA)} is distinct from ${shapeOf(DECLARED_SCHEMA)}) as differ
     from unnest($1::text[]) name`,
    [Object.keys(model.tables)],
  );
  return rows[0]?.differ === false;
}

type Change = {
  readonly gone: readonly string[];
  readonly declared: string;
  readonly roles: Roles;
};

async function changeTables(
  client: pg.Client,
  model: ReadModel,
  { gone, declared, roles }: Change,
) {
  for (const name of gone) {
    await client.query(`drop table if exists ${NEXT_SCHEMA}.${pg.escapeIdentifier(name)}`);
  }
  await client.query('delete from read_model.rebuilds where projection = $1', [model.name]);
  await client.query('select read_model.drop_next($1)', [model.name]);
  const isKept = gone.length === 0 && (await widenTables(client, model, roles));
  if (isKept) await addIndexes(client, model);
  else await replaceTables(client, model, declared, gone);
  await client.query('update read_model.models set is_outdated = $2 where name = $1', [
    model.name,
    isKept,
  ]);
}

/** Everything that is lost here is built again by the projector from the first event. */
async function replaceTables(
  client: pg.Client,
  model: ReadModel,
  declared: string,
  gone: readonly string[],
) {
  for (const name of [...gone, ...Object.keys(model.tables)]) {
    await client.query(`drop table if exists ${tableName(name)} cascade`);
  }
  await client.query(declared);
  for (const kept of ['checkpoints', 'checks', 'parked_streams']) {
    await client.query(`delete from read_model.${kept} where projection = $1`, [model.name]);
  }
}

/**
 * Adds new columns to tables that have rows, so that new reads find them, and makes removed columns
 * nullable. False when a column has changed its type, or a table is new: the old rows are then of
 * no use to the code that reads and writes them now.
 */
async function widenTables(client: pg.Client, model: ReadModel, roles: Roles): Promise<boolean> {
  for (const [name, declaration] of Object.entries(model.tables)) {
    if (declaration.counts && !(await exists(client, name))) {
      await client.query(tableSql(model, name, declaration, roles));
      await client.query(`insert into ${tableName(name)} ${declaration.counts}`);
      continue;
    }
    const { rows } = await client.query<ColumnChange>(COLUMN_CHANGES, [
      `${SCHEMA}.${name}`,
      `${DECLARED_SCHEMA}.${name}`,
    ]);
    if (rows.some(({ change }) => change === 'retyped')) return false;
    for (const { change, name: columnName, type, value } of rows) {
      const column = pg.escapeIdentifier(columnName);
      await client.query(
        change === 'new'
          ? `alter table ${tableName(name)} add column ${column} ${type}
             ${value === null ? '' : `default ${value}`}`
          : `alter table ${tableName(name)} alter column ${column} drop not null`,
      );
    }
  }
  return true;
}

/** New reads may need new indexes on tables that stay in use. */
async function addIndexes(client: pg.Client, model: ReadModel) {
  for (const name of Object.keys(model.tables)) {
    const { rows } = await client.query<{ def: string }>(
      `select def from ${indexesOf('$2::regclass')} declared
       except select def from ${indexesOf('$1::regclass')} present`,
      [`${SCHEMA}.${name}`, `${DECLARED_SCHEMA}.${name}`],
    );
    for (const { def } of rows) await client.query(`create index on ${tableName(name)} ${def}`);
  }
}

async function exists(client: pg.Client, name: string): Promise<boolean> {
  const { rowCount } = await client.query('select where to_regclass($1) is not null', [
    `${SCHEMA}.${name}`,
  ]);
  return rowCount === 1;
}

type ColumnChange = {
  readonly change: 'new' | 'gone' | 'retyped';
  readonly name: string;
  readonly type: string;
  readonly value: string | null;
};

/** The differences between the columns of a table and those declared. */
const COLUMN_CHANGES = `
  with columns as (
    select attrelid, attname as name, format_type(atttypid, atttypmod) as type,
      pg_get_expr(d.adbin, d.adrelid) as value,
      attnum = any(coalesce((select conkey from pg_constraint
        where conrelid = attrelid and contype = 'p'), '{}')) as is_key
    from pg_attribute a left join pg_attrdef d on d.adrelid = attrelid and d.adnum = attnum
    where attnum > 0 and not attisdropped
  ), old as (select * from columns where attrelid = to_regclass($1)),
  new as (select * from columns where attrelid = to_regclass($2))
  select name, new.type, new.value, case
      when to_regclass($1) is null or new.type <> old.type or new.is_key <> old.is_key
        or (old.name is null and new.is_key) or (new.name is null and old.is_key) then 'retyped'
      when old.name is null then 'new' else 'gone' end as change
  from old full join new using (name)
  where old.name is null or new.name is null or old.type <> new.type or old.is_key <> new.is_key`;

const tableName = (table: string) => `read_model.${pg.escapeIdentifier(table)}`;

/**
 * Tables with policies, grants and keys; the same text works for each schema. The policy can't serve
 * as an index condition: a read that finds rows by their own key, without naming the organization,
 * never scans all rows of the organization.
 */
function tablesSql(model: ReadModel, roles: Roles): string {
  const tables = Object.entries(model.tables).map(([name, declaration]) =>
    tableSql(model, name, declaration, roles),
  );
  return [...tables, indexesSql(model, 'writeIndexes')].join('\n');
}

const indexesSql = (model: ReadModel, which: 'indexes' | 'writeIndexes') =>
  Object.entries(model.tables)
    .flatMap(([name, declaration]) =>
      (declaration[which] ?? []).map((index) => `create index on ${tableName(name)} ${index};`),
    )
    .join('\n');

function tableSql(model: ReadModel, table: string, declaration: Table, roles: Roles): string {
  const name = tableName(table);
  const { columns, key, unique } = declaration;
  const parts = Object.entries(columns).map(([column, of]) => `${column} ${columnSql(of)}`);
  if (key) parts.push(`primary key (${key.join(', ')})`);
  if (unique) parts.push(`unique ${unique}`);
  return `
      create table ${name} (${parts.join(',\n        ')});
      ${withoutSizes(name)}
      alter table ${name} enable row level security;
      alter table ${name} force row level security;
      ${rightsSql(name, roles)}
      ${model.functions ? ownerPolicy(name) : ''}`;
}

const columnSql = ({ type, isNullable, default: value }: Column) =>
  `${type}${isNullable ? '' : ' not null'}${value === undefined ? '' : ` default ${value}`}`;

const rightsSql = (name: string, { command, projector, query }: Roles) => `
      create policy tenant on ${name} for select to ${query}, ${command} using
        (organization_id is not distinct from
          nullif(current_setting('tallyhand.organization_id', true), '')::uuid);
      create policy projector on ${name} to ${projector} using (true) with check (true);
      grant select on ${name} to ${query}, ${command};
      grant select, insert, update, delete on ${name} to ${projector};`;

/**
 * Without statistics on the column, the planner estimates an organization as a share of the table as
 * it is now. Statistics of many small organizations would make a large one look small.
 */
const withoutSizes = (name: string) =>
  `alter table ${name} alter column organization_id set statistics 0;`;

/** An owner that is not a superuser is subject to the policies like every other role. */
const ownerPolicy = (name: string) =>
  `create policy owner on ${name} for select to current_user using (true);`;

/** Callers find a function by its name: changed arguments or columns need a new name. */
function functionsSql(model: ReadModel, roles: Roles): string {
  const functions = Object.entries(model.functions ?? {}).map(([name, stored]) => {
    const signature = `read_model.${pg.escapeIdentifier(name)}`;
    const args = Object.entries(stored.arguments).map(([arg, type]) => `p_${arg} ${type}`);
    const types = Object.values(stored.arguments).join(', ');
    return `
      create or replace function ${signature}(${args.join(', ')})
      returns table (${stored.returns}) language plpgsql stable
      security definer set search_path = pg_catalog
      set plan_cache_mode = force_${stored.plansOnce ? 'generic' : 'custom'}_plan
      set enable_seqscan = off set enable_bitmapscan = on
      set enable_hashjoin = on set enable_mergejoin = on
      set enable_sort = ${stored.sortsLittle ? 'off' : 'on'} as $stored$
      #variable_conflict use_column
      declare
        mine uuid := nullif(current_setting('tallyhand.organization_id', true), '')::uuid;
        ${stored.declares}
      begin
        if mine is null then return; end if;
        ${stored.body}
      end $stored$;
      revoke all on function ${signature}(${types}) from public;
      grant execute on function ${signature}(${types}) to ${roles[stored.caller]};`;
  });
  return functions.join('\n');
}
