import type { HistoryKind } from '@tallyhand/contracts/features/audit/deletions.endpoints';
import { type Column, type Columns, camel } from './columns.ts';
import {
  type Computed,
  type ContractView,
  type Read,
  readComputedPage,
  readOne,
  readPage,
  selectOf,
} from './read.ts';
import type { Table } from './read-model.ts';

/** The column with the name of an object of each kind. Tables and keys are named after the kind. */
export const NAME_COLUMNS = {
  agent: 'name',
  article: 'title',
  playbook: 'title',
  tool: 'name',
} as const satisfies Record<HistoryKind, string>;

/**
 * The reads of a kind of object that members create, change, delete and restore: all and one, now and
 * as they were after an entry of the audit log.
 */
export type VersionedObject = {
  readonly kind: HistoryKind;
  readonly columns: Columns;
  /** The columns of the view's fields that have other names. */
  readonly columnOf: Readonly<Record<string, string>>;
  readonly list: Read<PageArguments>;
  readonly one: Read<{ id: 'uuid' }>;
  readonly listAsOf: Read<PageArguments & { sequence: 'bigint' }>;
  readonly oneAsOf: Read<{ sequence: 'bigint'; id: 'uuid' }>;
};
type PageArguments = { limit: 'int'; cursor_at: 'timestamptz'; cursor_id: 'uuid' };

/** The alias of the object in all expressions. */
const AS = 'o';

type Declaration<
  F extends string,
  C extends Columns,
  R extends Renamed<F, C>,
  L extends Partial<Record<F, string>>,
> = {
  readonly kind: HistoryKind;
  readonly view: ContractView<F>;
  readonly table: Table<C>;
  readonly columnOf: R;
  /** Expressions of fields that are no columns. */
  readonly computed: Computed<Exclude<NoInfer<F>, keyof R | keyof L | 'id'>, NoInfer<C>>;
  /** Expressions that differ in the list. */
  readonly inList: L;
  /**
   * What a column was, from the values of the object's events, `s.state`. Without an expression it is
   * the field of the same name.
   */
  readonly asOf?: { readonly [K in keyof NoInfer<C>]?: string };
};
type Renamed<F extends string, C extends Columns> = { readonly [K in F]?: keyof C & string };

export function versionedObject<
  F extends string,
  C extends Columns,
  const R extends Renamed<F, C>,
  L extends Partial<Record<F, string>>,
>(declaration: Declaration<F, C, R, L>): VersionedObject {
  const { kind, view, table, columnOf, computed, inList, asOf = {} } = declaration;
  const key = `${kind}_id`;
  const expressions: Record<string, string> = { id: `${AS}.${key}` };
  const renamed = Object.entries(columnOf as Readonly<Record<string, string>>);
  for (const [field, column] of renamed) expressions[field] = `${AS}.${column}`;
  Object.assign(expressions, computed);
  const select = (more: object) =>
    selectOf(view, table, AS, Object.assign({}, expressions, more) as Computed<F, C>);
  const [one, list] = [select({}), select(inList)];
  const present = `read_model.${kind}s`;
  const past = pastOf(kind, table, asOf);
  return {
    kind,
    columns: table.columns,
    columnOf: Object.fromEntries(renamed),
    list: readPage(`${kind}s`, {
      table: present,
      as: AS,
      at: 'created_at',
      id: key,
      where: `${AS}.deleted_at is null`,
      select: list,
    }),
    one: readOne(
      kind,
      { id: 'uuid' },
      `select ${one} from ${present} ${AS}
       where ${AS}.organization_id = me.organization_id and ${AS}.deleted_at is null
         and ${AS}.${key} = p_id`,
    ),
    listAsOf: readComputedPage(`${kind}s_as_of`, `select ${list} from ${past}`, {
      sequence: 'bigint',
    }),
    oneAsOf: readOne(
      `${kind}_as_of`,
      { sequence: 'bigint', id: 'uuid' },
      `select ${one} from ${past} where ${AS}.${key} = p_id`,
    ),
  };
}

/**
 * The table as it was after an entry of the log. `state` is the values of an object's events, later
 * ones over earlier ones; what was deleted then is left out.
 */
function pastOf(
  kind: HistoryKind,
  { columns }: Table,
  asOf: Readonly<Record<string, string | undefined>>,
): string {
  const type = `${kind[0]?.toUpperCase()}${kind.slice(1)}`;
  const known = new Set([`${kind}_id`, 'organization_id', 'created_at', 'deleted_at']);
  const values = Object.entries(columns)
    .filter(([name]) => !known.has(name))
    .map(([name, column]) => `${asOf[name] ?? valueInState(camel(name), column)} as ${name}`);
  return `(
    select s.id as ${kind}_id, s.created_at, ${values.join(', ')}
    from (select a.object_id::uuid as id, min(a.at) as created_at,
        jsonb_object_agg(e.key, e.value order by a.sequence) as state
      from read_model.audit_entries a
      cross join lateral jsonb_each(a.data || case a.type
        when '${type}Deleted' then '{"isDeleted": true}'::jsonb
        when '${type}Restored' then '{"isDeleted": false}'
        when '${type}Paused' then '{"isActive": false}'
        when '${type}Activated' then '{"isActive": true}' else '{}' end) e
      where a.organization_id = me.organization_id and a.category = '${kind}'
        and a.sequence <= p_sequence
      group by a.object_id) s
    where s.state->>'isDeleted' is distinct from 'true') ${AS}`;
}

function valueInState(field: string, { type }: Column): string {
  const value = `s.state->'${field}'`;
  if (type === 'jsonb') return value;
  if (type === 'text') return `s.state->>'${field}'`;
  if (type.endsWith('[]')) return `array(select jsonb_array_elements_text(${value}))::${type}`;
  return `(${value})::${type}`;
}
