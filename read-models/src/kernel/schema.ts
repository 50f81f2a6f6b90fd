import { hash } from 'node:crypto';
import { roleName, type ServiceRole } from '@tallyhand/service-kit/postgres/pool';
import pg from 'pg';
import { OPERATING_FUNCTIONS, OPERATING_TABLE_NAMES, OPERATING_TABLES } from './operating.ts';
import type { Read, ReadModel } from './read-model.ts';

export const SCHEMA = 'read_model';

/** Where the tables of a rebuild stand beside those that are read. */
export const NEXT_SCHEMA = 'read_model_next';

const BASE = `
  create schema if not exists read_model;
  create schema if not exists read_model_next;
  create schema if not exists extensions;
  create extension if not exists pg_trgm schema extensions;
  create extension if not exists btree_gin schema extensions;
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

/** Makes tables, policies, grants and stored reads as declared; what did not change is left alone. */
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
  for (const model of models) {
    await makeTables(client, model, roles);
    if (!areKnown) await grantAgain(client, model, roles);
  }
  await makeReads(client, reads, roles.query, areKnown);
  await client.query('commit');
}

type Roles = Readonly<Record<ServiceRole, string>>;

/** False in a copy of another database: its roles have other names, which carry the rights. */
async function haveRights(client: pg.Client, role: string): Promise<boolean> {
  const { rows } = await client.query<{ have: boolean | null }>(
    `select has_schema_privilege($1, to_regnamespace('${SCHEMA}')::oid, 'usage') as have`,
    [role],
  );
  return rows[0]?.have ?? true;
}

async function grantAgain(client: pg.Client, model: ReadModel, roles: Roles) {
  for (const table of Object.keys(model.tables)) {
    const name = tableName(table);
    await client.query(
      `drop policy tenant on ${name}; drop policy projector on ${name}; ${rightsSql(name, roles)}`,
    );
  }
  await makeFunctions(client, model, roles);
}

/**
 * Tables that changed and have rows are read on as they are, with what is new in them left empty,
 * until the projector has built those that take their place.
 */
async function makeTables(client: pg.Client, model: ReadModel, roles: Roles) {
  const definition = hash('sha256', JSON.stringify(model), 'hex');
  const { rows } = await client.query<{ definition: string; tables: string[]; indexes: string }>(
    'select definition, tables, indexes from read_model.models where name = $1',
    [model.name],
  );
  const old = rows[0];
  const ddl = tablesSql(model, roles);
  const indexes = statementsOf(model.indexes);
  await client.query(
    `insert into read_model.models (name, definition, ddl, indexes, tables)
     values ($1, $2, $3, $4, $5)
     on conflict (name) do update set definition = excluded.definition, ddl = excluded.ddl,
       indexes = excluded.indexes, tables = excluded.tables`,
    [model.name, definition, ddl, indexes, Object.keys(model.tables)],
  );
  if (old?.definition === definition) return;
  const gone = old?.tables.filter((table) => !(table in model.tables)) ?? [];
  for (const table of gone) {
    await client.query(`drop table if exists ${NEXT_SCHEMA}.${pg.escapeIdentifier(table)}`);
  }
  await client.query('delete from read_model.rebuilds where projection = $1', [model.name]);
  await client.query('select read_model.make_next($1)', [model.name]);
  const isKept = gone.length === 0 && (await widenTables(client, model, roles));
  await client.query('select read_model.drop_next($1)', [model.name]);
  if (isKept) await addIndexes(client, model, old?.indexes ?? '');
  else await replaceTables(client, model, `${ddl}\n${indexes}`, gone);
  await client.query('update read_model.models set is_outdated = $2 where name = $1', [
    model.name,
    isKept,
  ]);
  await makeFunctions(client, model, roles);
}

/** Everything lost is rebuilt by the projector from the first event. */
async function replaceTables(
  client: pg.Client,
  model: ReadModel,
  ddl: string,
  gone: readonly string[],
) {
  for (const table of [...gone, ...Object.keys(model.tables)]) {
    await client.query(`drop table if exists ${tableName(table)} cascade`);
  }
  await client.query(ddl);
  for (const kept of ['checkpoints', 'checks', 'parked_streams']) {
    await client.query(`delete from read_model.${kept} where projection = $1`, [model.name]);
  }
}

/**
 * Gives tables that have rows the columns that are new, so that new reads find them, and lets
 * columns that are gone stay empty. False where a column has changed its type, or a table is new:
 * then old rows are of no use to what reads and writes them now.
 */
async function widenTables(client: pg.Client, model: ReadModel, roles: Roles): Promise<boolean> {
  for (const table of Object.keys(model.tables)) {
    if (model.counts?.[table] && !(await isThere(client, table))) {
      await client.query(tableSql(model, table, roles));
      await client.query(`insert into ${tableName(table)} ${model.counts[table]}`);
      continue;
    }
    const { rows } = await client.query<ColumnChange>(COLUMN_CHANGES, [
      `read_model.${table}`,
      `read_model_next.${table}`,
    ]);
    if (rows.some(({ change }) => change === 'retyped')) return false;
    for (const { change, name, type, value } of rows) {
      const column = pg.escapeIdentifier(name);
      await client.query(
        change === 'new'
          ? `alter table ${tableName(table)} add column ${column} ${type}
             ${value === null ? '' : `default ${value}`}`
          : `alter table ${tableName(table)} alter column ${column} drop not null`,
      );
    }
  }
  return true;
}

/** New reads may go by new indexes, which tables that are read on need as well. */
async function addIndexes(client: pg.Client, { indexes = [] }: ReadModel, old: string) {
  for (const statement of indexes) {
    if (!old.includes(statement)) await client.query(statement);
  }
}

async function isThere(client: pg.Client, table: string): Promise<boolean> {
  const { rowCount } = await client.query('select where to_regclass($1) is not null', [
    `read_model.${table}`,
  ]);
  return rowCount === 1;
}

type ColumnChange = {
  readonly change: 'new' | 'gone' | 'retyped';
  readonly name: string;
  readonly type: string;
  readonly value: string | null;
};

/** What tells the columns of a table from those of its next one. */
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

const statementsOf = (statements: readonly string[] = []) =>
  statements.map((statement) => `${statement};`).join('\n');

/**
 * Tables with policies, grants and keys; the same text makes them in either schema. The policy is no
 * bound of an index: a read that looks rows up by their own key, and does not name the
 * organization, is never answered by going through all that the organization has.
 */
function tablesSql(model: ReadModel, roles: Roles): string {
  const tables = Object.keys(model.tables).map((table) => tableSql(model, table, roles));
  return [...tables, statementsOf(model.writeIndexes)].join('\n');
}

function tableSql(model: ReadModel, table: string, roles: Roles): string {
  const name = tableName(table);
  return `
      create table ${name} (${model.tables[table]});
      ${withoutSizes(name)}
      alter table ${name} enable row level security;
      alter table ${name} force row level security;
      ${rightsSql(name, roles)}
      ${model.functions ? ownerPolicy(name) : ''}`;
}

const rightsSql = (name: string, { command, projector, query }: Roles) => `
      create policy tenant on ${name} for select to ${query}, ${command} using
        (organization_id is not distinct from
          nullif(current_setting('tallyhand.organization_id', true), '')::uuid);
      create policy projector on ${name} to ${projector} using (true) with check (true);
      grant select on ${name} to ${query}, ${command};
      grant select, insert, update, delete on ${name} to ${projector};`;

/**
 * Without statistics of it an organization is taken for a part of the table as it is now. Statistics
 * of many small ones would make all of one's rows look as few as the one that has an id.
 */
const withoutSizes = (name: string) =>
  `alter table ${name} alter column organization_id set statistics 0;`;

/** An owner that is no superuser is bound by the policies like every other role. */
const ownerPolicy = (name: string) =>
  `create policy owner on ${name} for select to current_user using (true);`;

/** Callers know a function by its name: other arguments or columns need a new name. */
async function makeFunctions(client: pg.Client, model: ReadModel, roles: Roles) {
  for (const [name, stored] of Object.entries(model.functions ?? {})) {
    const signature = `read_model.${pg.escapeIdentifier(name)}`;
    const args = Object.entries(stored.arguments).map(([arg, type]) => `p_${arg} ${type}`);
    const types = Object.values(stored.arguments).join(', ');
    await client.query(`
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
      grant execute on function ${signature}(${types}) to ${roles[stored.caller]};
    `);
  }
}

/** A read's function carries its definition's hash, so that old and new services can both run. */
export function functionName(read: Read): string {
  return `read_${read.name}_${hash('sha256', functionSql('', read), 'hex').slice(0, 12)}`;
}

async function makeReads(
  client: pg.Client,
  reads: readonly Read[],
  queryRole: string,
  areKnown: boolean,
) {
  for (const read of reads) {
    const name = functionName(read);
    const { rowCount } = await client.query(
      `select 1 from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where n.nspname = 'read_model' and p.proname = $1`,
      [name],
    );
    if (rowCount && areKnown) continue;
    if (!rowCount) await client.query(functionSql(name, read));
    const types = ['uuid', 'text[]', ...Object.values(read.arguments)].join(', ');
    await client.query(`
      revoke all on function read_model.${name}(${types}) from public;
      grant execute on function read_model.${name}(${types}) to ${queryRole};
    `);
  }
}

/** `otherwise`: the key where the page is not full. */
function pageAnswer(otherwise = "''"): string {
  return `case when count(*) = p_limit
      then json_build_array((array_agg(r."createdAt"))[p_limit], (array_agg(r.id))[p_limit])::text
      else ${otherwise} end || E'\\n' || coalesce(json_agg(r), '[]')::text`;
}

/** What a read answers: a line that is empty, or the key of a full page's last row, and the JSON. */
const ANSWERS: Readonly<Record<Read['rows'], string>> = {
  one: `E'\\n' || to_json(r)::text`,
  many: `E'\\n' || coalesce(json_agg(r), '[]')::text`,
  page: pageAnswer(),
};

/**
 * The first two parameters: whose (sign-in or organization), and the roles that may, or null. One
 * text is answered, which costs half of what a row in a set would: null where there is nothing to
 * see, a line alone where the caller may not. The check of the sign-in and the read see one moment,
 * for which `stable` stands.
 */
function functionSql(name: string, read: Read): string {
  const args = Object.entries(read.arguments).map(([arg, type]) => `p_${arg} ${type}`);
  // An assignment, unlike a statement, needs no executor.
  const enter =
    read.scope === 'sign-in'
      ? `me := operational.caller_of(p_whose);
      if me.sign_in_id is null then return 'not-signed-in'; end if;
      if not me.role = any(p_allowed) then return 'role-not-allowed ' || me.role; end if;
      answer := set_config('tallyhand.organization_id', me.organization_id::text, true);`
      : `answer := set_config('tallyhand.organization_id', p_whose::text, true);`;
  const [last] = read.statements.slice(-1);
  const ways = read.statements.filter(({ when }) => when !== undefined);
  const run = ({ sql, looked }: Read['statements'][number]) =>
    looked
      ? `with looked as materialized (${looked.sql})
        select ${pageAnswer(`coalesce(${looked.lastKey}, '')`)} into answer from (${sql}) r;`
      : `select ${ANSWERS[read.rows]} into answer from (${sql}) r;`;
  const choice = ways.map((way) => `if ${way.when} then ${run(way)} return answer; end if;`);
  return `
    create function read_model.${name}(${['p_whose uuid', 'p_allowed text[]', ...args].join(', ')})
    returns text language plpgsql stable ${PLANNING}
    ${read.rows === 'page' ? 'set enable_sort = off' : ''} as $read$
    #variable_conflict use_column
    declare me operational.caller; answer text;
    begin
      ${enter}
      ${choice.join('\n')}
      ${last ? run(last) : ''}
      return answer;
    end $read$;`;
}

/**
 * What reads ask for is always little of much: along indexes, in their order, one row after the
 * other. Everything else reads whole tables, and is chosen where statistics are old, or a table was
 * small when the plan was made. One plan serves all calls, so that none pays for planning.
 */
const PLANNING = `set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set enable_material = off`;
