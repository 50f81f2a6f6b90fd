import { hash } from 'node:crypto';
import { roleName, type ServiceRole } from '@tallyhand/service-kit/postgres/pool';
import pg from 'pg';
import type { Read, ReadModel } from './read-model.ts';

export const SCHEMA = 'read_model';

const BASE = `
  create schema if not exists read_model;
  create schema if not exists extensions;
  create extension if not exists pg_trgm schema extensions;
  create extension if not exists btree_gin schema extensions;
  create table if not exists read_model.models (
    name text primary key,
    definition text not null
  );
  create table if not exists read_model.checkpoints (
    projection text primary key,
    version int not null,
    position text not null,
    commit_position bigint not null,
    prepare_position bigint not null
  );
  create table if not exists read_model.checks (
    projection text primary key,
    differences bigint not null
  );
  create or replace function read_model.check_differences()
    returns table (projection text, differences bigint) language sql stable
    security definer set search_path = pg_catalog as $$
      select c.projection, c.differences from read_model.checks c $$;
  create or replace function read_model.read_position() returns text language sql stable
    security definer set search_path = pg_catalog as $$
      select position from read_model.checkpoints
      order by commit_position, prepare_position limit 1 $$;
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
  await client.query(BASE);
  await client.query(`
    revoke all on schema read_model from public;
    revoke all on all functions in schema read_model from public;
    grant usage on schema read_model, extensions to ${Object.values(roles).join(', ')};
    grant execute on function read_model.read_position() to ${roles.command}, ${roles.query};
    grant execute on function read_model.check_differences() to ${roles.query};
    grant select, insert, update, delete on read_model.checkpoints, read_model.checks
      to ${roles.projector};
  `);
  for (const model of models) await makeTables(client, model, roles);
  await makeReads(client, reads, roles.query);
  await client.query('commit');
}

type Roles = Readonly<Record<ServiceRole, string>>;

async function makeTables(client: pg.Client, model: ReadModel, roles: Roles) {
  const definition = hash('sha256', JSON.stringify(model), 'hex');
  const { rows } = await client.query<{ definition: string }>(
    'select definition from read_model.models where name = $1',
    [model.name],
  );
  if (rows[0]?.definition === definition) return;
  for (const [table, columns] of Object.entries(model.tables)) {
    const name = `read_model.${pg.escapeIdentifier(table)}`;
    await client.query(`
      drop table if exists ${name} cascade;
      create table ${name} (${columns});
      alter table ${name} enable row level security;
      alter table ${name} force row level security;
      create policy tenant on ${name} for select to ${roles.query}, ${roles.command} using
        (organization_id = nullif(current_setting('tallyhand.organization_id', true), '')::uuid);
      create policy projector on ${name} to ${roles.projector} using (true) with check (true);
      grant select on ${name} to ${roles.query}, ${roles.command};
      grant select, insert, update, delete on ${name} to ${roles.projector};
    `);
  }
  for (const index of model.indexes ?? []) await client.query(index);
  await makeFunctions(client, model, roles.command);
  for (const kept of ['checkpoints', 'checks']) {
    await client.query(`delete from read_model.${kept} where projection = $1`, [model.name]);
  }
  await client.query(
    `insert into read_model.models (name, definition) values ($1, $2)
     on conflict (name) do update set definition = excluded.definition`,
    [model.name, definition],
  );
}

/** Whoever calls a function knows it by its name: other arguments or columns take a new one. */
async function makeFunctions(client: pg.Client, model: ReadModel, commandRole: string) {
  const functions = Object.entries(model.functions ?? {});
  if (functions.length === 0) return;
  for (const table of Object.keys(model.tables)) {
    // An owner that is no superuser is bound by the policies as everybody is.
    await client.query(`create policy owner on read_model.${pg.escapeIdentifier(table)}
      for select to current_user using (true)`);
  }
  for (const [name, stored] of functions) {
    const signature = `read_model.${pg.escapeIdentifier(name)}`;
    const args = Object.entries(stored.arguments).map(([arg, type]) => `p_${arg} ${type}`);
    const types = Object.values(stored.arguments).join(', ');
    await client.query(`
      create or replace function ${signature}(${args.join(', ')})
      returns table (${stored.returns}) language plpgsql stable
      security definer set search_path = pg_catalog
      set plan_cache_mode = force_custom_plan set enable_seqscan = off as $stored$
      #variable_conflict use_column
      declare
        mine uuid := nullif(current_setting('tallyhand.organization_id', true), '')::uuid;
        ${stored.declares}
      begin
        if mine is null then return; end if;
        ${stored.body}
      end $stored$;
      revoke all on function ${signature}(${types}) from public;
      grant execute on function ${signature}(${types}) to ${commandRole};
    `);
  }
}

/** A read's function carries its definition's hash, so that old and new services can both run. */
export function functionName(read: Read): string {
  return `read_${read.name}_${hash('sha256', JSON.stringify(read), 'hex').slice(0, 12)}`;
}

async function makeReads(client: pg.Client, reads: readonly Read[], queryRole: string) {
  for (const read of reads) {
    const name = functionName(read);
    const { rowCount } = await client.query(
      `select 1 from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where n.nspname = 'read_model' and p.proname = $1`,
      [name],
    );
    if (rowCount) continue;
    await client.query(functionSql(name, read));
    const types = ['uuid', 'text[]', ...Object.values(read.arguments)].join(', ');
    await client.query(`
      revoke all on function read_model.${name}(${types}) from public;
      grant execute on function read_model.${name}(${types}) to ${queryRole};
    `);
  }
}

/** The first two parameters: whose (sign-in or organization), and the roles that may, or null. */
function functionSql(name: string, read: Read): string {
  const args = Object.entries(read.arguments).map(([arg, type]) => `p_${arg} ${type}`);
  const body =
    read.rows === 'many' ? `select coalesce(json_agg(r), '[]')::text` : 'select to_json(r)::text';
  const enter =
    read.scope === 'sign-in'
      ? `select * into me from operational.authenticate(p_whose);
         if not found then
           return query select 'not-signed-in'::text, null::text, null::text; return;
         end if;
         if p_allowed is not null and not me.role = any(p_allowed) then
           return query select 'role-not-allowed'::text, me.role, null::text; return;
         end if;
         perform set_config('tallyhand.organization_id', me.organization_id::text, true);`
      : `perform set_config('tallyhand.organization_id', p_whose::text, true);`;
  return `
    create function read_model.${name}(${['p_whose uuid', 'p_allowed text[]', ...args].join(', ')})
    returns table (outcome text, caller_role text, body text) language plpgsql as $read$
    #variable_conflict use_column
    declare me record; result text;
    begin
      ${enter}
      ${body} into result from (${read.sql}) r;
      return query select 'ok'::text, ${read.scope === 'sign-in' ? 'me.role' : 'null::text'}, result;
    end $read$;`;
}
