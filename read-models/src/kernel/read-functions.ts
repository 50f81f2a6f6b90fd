import { hash } from 'node:crypto';
import type pg from 'pg';
import type { Read } from './read.ts';

/** The name carries the definition's hash, so that old and new services can run side by side. */
export function functionName(read: Read): string {
  return `read_${read.name}_${hash('sha256', functionSql('', read), 'hex').slice(0, 12)}`;
}

/** Creates the functions of reads that do not exist yet; without known rights, grants all. */
export async function makeReads(
  client: pg.Client,
  reads: readonly Read[],
  queryRole: string,
  areKnown: boolean,
) {
  const named = reads.map((read) => ({ read, name: functionName(read) }));
  const { rows } = await client.query<{ name: string }>(
    `select proname as name from pg_proc
     where pronamespace = 'read_model'::regnamespace and proname = any($1)`,
    [named.map(({ name }) => name)],
  );
  const existing = new Set(rows.map(({ name }) => name));
  const statements = named.flatMap(({ read, name }) => {
    const isNew = !existing.has(name);
    if (!isNew && areKnown) return [];
    const types = ['uuid', 'text[]', ...Object.values(read.arguments)].join(', ');
    return `${isNew ? functionSql(name, read) : ''}
      revoke all on function read_model.${name}(${types}) from public;
      grant execute on function read_model.${name}(${types}) to ${queryRole};`;
  });
  if (statements.length > 0) await client.query(statements.join('\n'));
}

/** `otherwise`: the key when the page is not full. */
function pageAnswer({ keyOf }: Read, otherwise = "''"): string {
  const id = '(array_agg(r.id))[p_limit]';
  const key = keyOf ? keyOf(id) : '(array_agg(r."createdAt"))[p_limit]';
  return `case when count(*) = p_limit then json_build_array(${key}, ${id})::text
      else ${otherwise} end || E'\\n' || coalesce(json_agg(r), '[]')::text`;
}

/** The answer of a read: a line with the key of a full page's last row, or empty, then the JSON. */
const ANSWERS: Readonly<Record<Read['rows'], (read: Read) => string>> = {
  one: () => `E'\\n' || to_json(r)::text`,
  many: () => `E'\\n' || coalesce(json_agg(r), '[]')::text`,
  page: (read) => pageAnswer(read),
};

/** The first line of what an Auditor reads: the service that answers the call records it. */
export const AUDITOR_LINE = 'auditor\n';
const MARKED = `case when me.role = 'Auditor' then E'auditor\\n' || answer else answer end`;

/**
 * The first two parameters are the sign-in or organization, and the roles that are allowed, or null.
 * The function returns one text, which costs half as much as a set with one row: null when there is
 * nothing to show, a single line when the caller is refused. `stable` makes the sign-in check and
 * the read see the same snapshot.
 */
function functionSql(name: string, read: Read): string {
  const args = Object.entries(read.arguments).map(([arg, type]) => `p_${arg} ${type}`);
  // An assignment, unlike a statement, needs no executor.
  const enter =
    read.scope === 'sign-in'
      ? `me := operational.caller_of(p_whose);
      if me.sign_in_id is null then
        return concat_ws(' ', 'not-signed-in', to_json(operational.access_ended(p_whose)) #>> '{}');
      end if;
      if not me.role = any(p_allowed) then return 'role-not-allowed ' || me.role; end if;
      answer := set_config('tallyhand.organization_id', me.organization_id::text, true);`
      : `answer := set_config('tallyhand.organization_id', p_whose::text, true);`;
  const [last] = read.statements.slice(-1);
  const ways = read.statements.filter(({ when }) => when !== undefined);
  const run = ({ sql, looked }: Read['statements'][number]) =>
    looked
      ? `with looked as materialized (${looked.sql})
        select ${pageAnswer(read, `coalesce(${looked.lastKey}, '')`)} into answer from (${sql}) r;`
      : `select ${ANSWERS[read.rows](read)} into answer from (${sql}) r;`;
  const result = read.scope === 'sign-in' ? MARKED : 'answer';
  const choice = ways.map((way) => `if ${way.when} then ${run(way)} return ${result}; end if;`);
  return `
    create function read_model.${name}(${['p_whose uuid', 'p_allowed text[]', ...args].join(', ')})
    returns text language plpgsql stable ${PLANNING}
    ${read.rows === 'page' || read.sortsLittle ? 'set enable_sort = off' : ''} as $read$
    #variable_conflict use_column
    declare me operational.caller; answer text;
    begin
      ${enter}
      ${choice.join('\n')}
      ${last ? run(last) : ''}
      return ${result};
    end $read$;`;
}

/**
 * Reads fetch few rows of many, along indexes and in index order. Other plans read whole tables, and
 * the planner chooses them when statistics are old or a table was small at planning time. One plan
 * serves all calls, so that no call pays for planning.
 */
const PLANNING = `set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
  set enable_material = off`;
