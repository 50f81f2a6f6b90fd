import type { HistoryKind } from '@tallyhand/contracts/features/audit/deletions.endpoints';
import {
  type Order,
  SORT_FIELDS,
  type Sort,
  type SortField,
} from '@tallyhand/contracts/kernel/lists';
import {
  type Column,
  type Columns,
  camel,
  int,
  orNull,
  sortKeyOfName,
  timestamp,
} from './columns.ts';
import {
  type Computed,
  type ContractView,
  contains,
  orElse,
  type PageArguments,
  type Read,
  type ReadArguments,
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
  connection: 'name',
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
  readonly sorted: Readonly<Record<Sort, Read<PageArguments & ReadArguments>>>;
  /** The arguments of the lists by which they are filtered. */
  readonly filters: readonly string[];
  readonly one: Read<{ id: 'uuid' }>;
  readonly listAsOf: Read<PageArguments & { sequence: 'bigint' }>;
  readonly oneAsOf: Read<{ sequence: 'bigint'; id: 'uuid' }>;
};
/** The alias of the object in all expressions. */
const AS = 'o';

/** The columns of every kind. */
export const versionedColumns = {
  version: int,
  created_at: timestamp,
  updated_at: timestamp,
  sort_key: sortKeyOfName,
  deleted_at: orNull(timestamp),
};

/** An index for each order of the list, and one for the deleted objects. */
export const versionedIndexes = (kind: HistoryKind): readonly string[] => [
  ...['created_at', 'updated_at', 'sort_key'].map(
    (column) => `(organization_id, ${column}, ${kind}_id) where deleted_at is null`,
  ),
  `(organization_id, deleted_at, ${kind}_id) where deleted_at is not null`,
];

/** The column that each order goes by. A name has its sort key. */
const SORT_COLUMNS = {
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  name: 'sort_key',
} as const satisfies Record<SortField, string>;

/** Times are bounds of the index when the list is sorted by them, and conditions otherwise. */
const TIMES = {
  created_at: { from: 'from', to: 'to' },
  updated_at: { from: 'updated_from', to: 'updated_to' },
} as const;

/** Arguments of a list with the conditions of their filters. */
type Filters = Readonly<
  Record<string, { readonly type: ReadArguments[string]; readonly where: string }>
>;

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
  /** The texts that the filter `q` searches. */
  readonly searched: readonly string[];
  readonly filters: Filters;
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
  const { kind, view, table, columnOf, computed, inList, searched, asOf = {} } = declaration;
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
  const text = { type: 'text', where: contains('p_q', searched) } as const;
  const filters: Filters = { q: text, ...declaration.filters };
  return {
    kind,
    columns: table.columns,
    columnOf: Object.fromEntries(renamed),
    sorted: sortedLists(kind, list, filters),
    filters: Object.keys(filters).concat(Object.values(TIMES).flatMap(Object.values)),
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

/** A list for each order: each has its own plan. */
function sortedLists(kind: HistoryKind, select: string, filters: Filters) {
  const table = `read_model.${kind}s`;
  const id = `${kind}_id`;
  const conditions = Object.entries(filters).map(([name, { where }]) => [name, where] as const);
  const listBy = (field: SortField, order: Order) => {
    const at = SORT_COLUMNS[field];
    const times = Object.entries(TIMES)
      .filter(([column]) => column !== at)
      .flatMap(([column, { from, to }]) => [
        [from, `${AS}.${column} >= p_${from}`] as const,
        [to, `${AS}.${column} < p_${to}`] as const,
      ]);
    const bounds = at === 'sort_key' ? { isText: true } : boundsOf(TIMES[at]);
    const read = readPage(
      `${kind}s_by_${at}_${order}`,
      {
        table,
        as: AS,
        at,
        id,
        ...bounds,
        where: `${AS}.deleted_at is null`,
        select,
        search: Object.fromEntries([...conditions, ...times]),
      },
      argumentsOf(filters),
      order,
    );
    const keyOf = (one: string) => `(select k.${at} from ${table} k where k.${id} = ${one})`;
    const cursor_at = at === 'sort_key' ? 'text' : 'timestamptz';
    return { ...read, keyOf, arguments: { ...read.arguments, cursor_at } };
  };
  const lists = SORT_FIELDS.flatMap((field) => [
    [field, listBy(field, 'oldest')] as const,
    [`-${field}`, listBy(field, 'newest')] as const,
  ]);
  return Object.fromEntries(lists) as unknown as VersionedObject['sorted'];
}

const boundsOf = ({ from, to }: (typeof TIMES)[keyof typeof TIMES]) => ({
  since: orElse(`p_${from}`, `'-infinity'`),
  until: orElse(`p_${to}`, `'infinity'`),
});

function argumentsOf(filters: Filters): ReadArguments {
  const times = Object.values(TIMES).flatMap(({ from, to }) => [from, to]);
  return {
    ...Object.fromEntries(Object.entries(filters).map(([name, { type }]) => [name, type])),
    ...Object.fromEntries(times.map((name) => [name, 'timestamptz'] as const)),
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
  const known = new Set([`${kind}_id`, 'organization_id', ...Object.keys(versionedColumns)]);
  known.delete('version');
  const values = Object.entries(columns)
    .filter(([name]) => !known.has(name))
    .map(([name, column]) => `${asOf[name] ?? valueInState(camel(name), column)} as ${name}`);
  return `(
    select s.id as ${kind}_id, s.created_at, s.updated_at, ${values.join(', ')}
    from (select a.object_id::uuid as id, min(a.at) as created_at, max(a.at) as updated_at,
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
