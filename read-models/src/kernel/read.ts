import type { Order } from '@tallyhand/contracts/kernel/lists';
import { type Camel, type Columns, SORT_KEY_MAX, snake } from './columns.ts';
import type { Table } from './read-model.ts';

type ArgumentType = 'uuid' | 'int' | 'bigint' | 'date' | 'timestamptz' | 'text' | 'boolean';

/** The PostgreSQL type of each argument of a read. */
export type ReadArguments = Readonly<Record<string, ArgumentType>>;

/**
 * A query as a stored function: one round trip checks the sign-in, sets the organization for
 * row-level security, and returns the rows as JSON in the shape of the API's view.
 */
export type Read<A extends ReadArguments = ReadArguments> = {
  readonly name: string;
  /** `sign-in`: the caller's organization; `organization`: one named by a signed token. */
  readonly scope: 'sign-in' | 'organization';
  /** `page`: at most `p_limit` rows in the order of a key, by default `createdAt` and `id`. */
  readonly rows: 'one' | 'many' | 'page';
  /** The first part of the key of the row with the id `id`, if that is not its `createdAt`. */
  readonly keyOf?: (id: string) => string;
  readonly arguments: A;
  /**
   * Selects the view's fields; arguments are `p_name`, the caller is `me.user_id`. The first
   * statement whose condition holds is run; the last one has no condition.
   */
  readonly statements: readonly Statement[];
  /** Rows come from indexes in the order in which they are needed. True of every page. */
  readonly sortsLittle?: boolean;
};

type Statement = {
  readonly when?: string;
  readonly sql: string;
  /** The rows that `sql` filters, as the table `looked`; it may keep none of them. */
  readonly looked?: { readonly sql: string; readonly lastKey: string };
};

/** Rows that one page searches when a filter has no index. */
export const LOOKED_MAX = 500;

export function readOne<const A extends ReadArguments>(
  name: string,
  args: A,
  sql: string,
  scope: Read['scope'] = 'sign-in',
): Read<A> {
  return { name, scope, rows: 'one', arguments: args, statements: [{ sql }] };
}

/** Rows in their own order, few or limited by an argument. */
export function readMany<const A extends ReadArguments>(
  name: string,
  args: A,
  sql: string,
  planning: Pick<Read, 'sortsLittle'> = {},
): Read<A> {
  return {
    name,
    scope: 'sign-in',
    rows: 'many',
    arguments: args,
    statements: [{ sql }],
    ...planning,
  };
}

export const PAGE = { limit: 'int', cursor_at: 'timestamptz', cursor_id: 'uuid' } as const;
export type PageArguments = Omit<typeof PAGE, 'cursor_at'> & {
  readonly cursor_at: 'timestamptz' | 'text';
};

/** Rows of a table in the order of two columns, `newest` (descending) or `oldest` (ascending). */
type Keyset = {
  readonly table: string;
  /** The alias of the table in all expressions. */
  readonly as: string;
  /** The two columns: a time or a sort key, and an id that distinguishes rows with the same. */
  readonly at: string;
  readonly id: string;
  /** Whether `at` is a sort key, which is text. */
  readonly isText?: boolean;
  /** A condition on every row. */
  readonly where?: string;
  /** Columns with their required values. */
  readonly pins?: Readonly<Record<string, string>>;
  /** Bounds of the time: from `since`, before `until`. */
  readonly since?: string;
  readonly until?: string;
  /** The number of rows; by default the page's limit. */
  readonly max?: number | undefined;
};

/** `coalesce` in a form that PostgreSQL uses as an index bound under row-level security. */
export const orElse = (value: string, otherwise: string) =>
  `case when ${value} is null then ${otherwise} else ${value} end`;

const FIRST_ID = `'00000000-0000-0000-0000-000000000000'::uuid`;
/** Behind every sort key. */
const LAST_TEXT = `repeat(chr(1114111), ${SORT_KEY_MAX + 1})`;

/**
 * The rows of one page, read along an index on `organization_id`, the pins, `at` and `id`, which
 * must exist. The start and the end of the page are bounds of that index. Pinned columns are part
 * of the compared key and of the order, so no other index gives this order: whatever the planner
 * estimates, only one plan needs no sort.
 */
export function keysetPage(
  {
    table,
    as,
    at,
    id,
    isText = false,
    where,
    pins = {},
    since = `'-infinity'::timestamptz`,
    until = `'infinity'::timestamptz`,
    max,
  }: Keyset,
  order: Order = 'newest',
): string {
  const isNewest = order === 'newest';
  const columns = Object.keys(pins).map((column) => `${as}.${column}`);
  const key = (...last: string[]) => `(${[...columns, ...last].join(', ')})`;
  const values = (...last: string[]) => `(${[...Object.values(pins), ...last].join(', ')})`;
  const [moment, row] = [`${as}.${at}`, `${as}.${id}`];
  const timeBounds = isNewest
    ? `${key(moment, row)} < ${values(
        `least(${orElse('p_cursor_at', `'infinity'`)}, ${until})`,
        `case when p_cursor_at < ${until} then p_cursor_id else ${FIRST_ID} end`,
      )} and ${key(moment)} >= ${values(since)}`
    : `${key(moment, row)} > ${values(
        `greatest(${orElse('p_cursor_at', `'-infinity'`)}, ${since})`,
        `case when p_cursor_at >= ${since} then p_cursor_id else ${FIRST_ID} end`,
      )} and ${key(moment)} < ${values(until)}`;
  const textBounds = `${key(moment, row)} ${isNewest ? '<' : '>'} ${values(
    orElse('p_cursor_at', isNewest ? LAST_TEXT : `''`),
    orElse('p_cursor_id', FIRST_ID),
  )}`;
  const bounds = isText ? textBounds : timeBounds;
  const direction = isNewest ? 'desc' : 'asc';
  return `select ${as}.* from ${table} ${as}
    where ${as}.organization_id = me.organization_id and ${bounds} ${where ? `and ${where}` : ''}
    order by ${[...columns, moment, row].map((part) => `${part} ${direction}`).join(', ')}
    limit ${max ?? 'p_limit'}`;
}

/** The newest or oldest rows of several sources that are already in that order. */
export function mergedPage(
  source: string,
  { as, at, id, max }: Pick<Keyset, 'as' | 'at' | 'id' | 'max'>,
  order: Order = 'newest',
): string {
  const direction = order === 'newest' ? 'desc' : 'asc';
  return `select ${as}.* from ${source}
    order by ${as}.${at} ${direction}, ${as}.${id} ${direction} limit ${max ?? 'p_limit'}`;
}

/** Whether one of the texts has an argument in it, in capital or small letters. */
export const contains = (argument: string, texts: readonly string[]) =>
  texts.map((text) => `position(lower(${argument}) in lower(${text})) > 0`).join(' or ');

type Filter = {
  readonly column: string;
  /** All possible values, if they are few: without an argument one page of each value is read. */
  readonly values?: readonly string[];
};

type View = {
  /** The view's fields; `createdAt` and `id` are the key. */
  readonly select: string;
  /** Joins for the fields. They must not drop rows. */
  readonly joins?: string;
};

type Page = Keyset &
  View & {
    /** Optional arguments and their columns; at most one without `values`. */
    readonly filters?: Readonly<Record<string, Filter>>;
    /**
     * Optional arguments with their conditions, which no index serves. A page then has the matches
     * among the next rows, perhaps none, and the key to continue from.
     */
    readonly search?: Readonly<Record<string, string>>;
  };

/** `source` selects the rows of a page in the order of `at` and `id`. */
type SourcePage = Pick<Keyset, 'as' | 'at' | 'id'> & View & { readonly source: string };

/** A list paged by key: the cost of a page does not depend on the number of rows. */
export function readPage<const A extends ReadArguments = Record<never, never>>(
  name: string,
  page: Page | SourcePage,
  args: A = {} as A,
  order: Order = 'newest',
): Read<A & typeof PAGE> {
  const { select, joins = '', as, at, id } = page;
  const direction = order === 'newest' ? 'desc' : 'asc';
  const statement = (rows: string) => `select ${select} from (${rows}) ${as} ${joins}
    order by ${as}.${at} ${direction}, ${as}.${id} ${direction}`;
  const statements =
    'source' in page ? [{ sql: statement(page.source) }] : waysOf(page, order, statement);
  return { name, scope: 'sign-in', rows: 'page', statements, arguments: { ...args, ...PAGE } };
}

/**
 * A statement for each way to find the rows of a page. A filter with many possible values has its
 * own index.
 */
function waysOf(page: Page, order: Order, statement: (rows: string) => string): Statement[] {
  const { search = {}, filters = {} } = page;
  const chosen = Object.entries(filters).find(([, { values }]) => !values);
  const ways: { page: Page; isAsked: string[] }[] = [{ page, isAsked: [] }];
  if (chosen) {
    const [argument, { column }] = chosen;
    const pins = { ...page.pins, [column]: `p_${argument}` };
    ways.unshift({ page: { ...page, pins }, isAsked: [`p_${argument} is not null`] });
  }
  const plain = ways.map(({ page, isAsked }) => ({
    isAsked,
    sql: statement(filteredPage(page, order)),
  }));
  const searched = Object.entries(search);
  const isSearched = searched.map(([argument]) => `p_${argument} is not null`).join(' or ');
  const matches = searched.map(([argument, where]) => `(p_${argument} is null or (${where}))`);
  const searching =
    searched.length === 0
      ? []
      : ways.map(({ page, isAsked }) => ({
          isAsked: [`(${isSearched})`, ...isAsked],
          sql: statement(
            mergedPage(`looked ${page.as} where ${matches.join(' and ')}`, page, order),
          ),
          looked: {
            sql: filteredPage({ ...page, max: LOOKED_MAX }, order),
            lastKey: lastKey(page, order),
          },
        }));
  return [...searching, ...plain].map(({ isAsked, ...way }) =>
    isAsked.length > 0 ? { when: isAsked.join(' and '), ...way } : way,
  );
}

/** The key of the last searched row, if there may be more. */
function lastKey({ at, id }: Page, order: Order): string {
  const direction = order === 'newest' ? 'desc' : 'asc';
  return `(select json_build_array(${at}, ${id})::text from looked
    order by ${at} ${direction}, ${id} ${direction} offset ${LOOKED_MAX - 1} limit 1)`;
}

/** For filters with few values: a page for each requested value, merged. */
function filteredPage(page: Page, order: Order): string {
  const listed = Object.entries(page.filters ?? {}).flatMap(([argument, { column, values }]) =>
    values ? [{ argument, column, values }] : [],
  );
  const values = listed.map(({ argument, column }) => [column, `${argument}_value`] as const);
  const rows = keysetPage(
    { ...page, pins: { ...page.pins, ...Object.fromEntries(values) } },
    order,
  );
  if (listed.length === 0) return rows;
  const sources = listed.map(({ argument, values }) => {
    const all = values.map((value) => `'${value}'`).join(', ');
    return `unnest(case when p_${argument} is null then array[${all}] else array[p_${argument}] end)
      ${argument}_value`;
  });
  return mergedPage(
    `${sources.join(' cross join ')} cross join lateral (${rows}) ${page.as}`,
    page,
    order,
  );
}

/** Rows that must be computed before they can be ordered; each page reads all of them. */
export function readComputedPage<const A extends ReadArguments>(
  name: string,
  sql: string,
  args: A,
): Read<A & typeof PAGE> {
  const page = `select * from (${sql}) page
    where p_cursor_at is null or (page."createdAt", page.id) < (p_cursor_at, p_cursor_id)
    order by page."createdAt" desc, page.id desc limit p_limit`;
  return {
    name,
    scope: 'sign-in',
    rows: 'page',
    statements: [{ sql: page }],
    arguments: { ...args, ...PAGE },
  };
}

/** One statement for each order, so that each has its own plan. */
export function inEachOrder<R extends Read>(make: (order: Order, suffix: string) => R) {
  return { newest: make('newest', ''), oldest: make('oldest', '_oldest') };
}

/** Lists cut texts to this many characters. */
export const LIST_TEXT_MAX = 2000;
const CHARACTER_BYTES_MAX = 4;

/** A text as lists show it. Counting bytes is free; counting characters is not. */
export const shortened = (text: string) => `case when octet_length(${text}) <= ${LIST_TEXT_MAX}
  then ${text} else left(${text}, ${LIST_TEXT_MAX}) end`;

/** Whether a list cuts the text; false for null. */
export const isShortened = (text: string) => `case
  when octet_length(${text}) > ${LIST_TEXT_MAX * CHARACTER_BYTES_MAX} then true
  when octet_length(${text}) > ${LIST_TEXT_MAX} then length(${text}) > ${LIST_TEXT_MAX}
  else false end`;

/** A view of the contracts, by its fields. */
export type ContractView<F extends string> = { readonly shape: Readonly<Record<F, unknown>> };

/** Expressions for fields without a column of their name; others may be overridden. */
export type Computed<F extends string, C extends Columns> = {
  readonly [K in Exclude<F, Camel<keyof C>>]: string;
} & { readonly [K in F]?: string };

/** The select list of a view: each field is computed, or the column of its name. */
export function selectOf<F extends string, C extends Columns>(
  view: ContractView<F>,
  { columns }: Table<C>,
  as: string,
  computed: Computed<NoInfer<F>, C>,
): string {
  const expressions: Readonly<Record<string, string | undefined>> = computed;
  const selected = Object.keys(view.shape).flatMap((field) => {
    const column = snake(field);
    const expression = expressions[field] ?? (column in columns ? `${as}.${column}` : null);
    return expression === null ? [] : `${expression} as "${field}"`;
  });
  return selected.join(', ');
}
