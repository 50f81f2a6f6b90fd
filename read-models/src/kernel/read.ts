import type { Order } from '@tallyhand/contracts/kernel/lists';

type ArgumentType = 'uuid' | 'int' | 'bigint' | 'date' | 'timestamptz' | 'text';

/** The PostgreSQL type of each argument of a read. */
export type ReadArguments = Readonly<Record<string, ArgumentType>>;

/**
 * A query as a stored function: one round trip checks the sign-in, sets the organization that
 * row-level security goes by, and gives the rows as JSON, in the shape of the API's view.
 */
export type Read<A extends ReadArguments = ReadArguments> = {
  readonly name: string;
  /** `sign-in`: the caller's organization; `organization`: one that a signed token names. */
  readonly scope: 'sign-in' | 'organization';
  /** `page`: in the order of `createdAt` and `id`, as many as `p_limit`. */
  readonly rows: 'one' | 'many' | 'page';
  readonly arguments: A;
  /**
   * Selects the view's fields; arguments as `p_name`, the caller's id as `me.user_id`. The first
   * statement whose condition holds is run; the last has none.
   */
  readonly statements: readonly Statement[];
};

type Statement = {
  readonly when?: string;
  readonly sql: string;
  /** Rows that `sql` filters as the table `looked`: a page of them, of which it may leave none. */
  readonly looked?: { readonly sql: string; readonly lastKey: string };
};

/** So many rows are looked through for one page where a filter has no index. */
export const LOOKED_MAX = 500;

export function readOne<const A extends ReadArguments>(
  name: string,
  args: A,
  sql: string,
  scope: Read['scope'] = 'sign-in',
): Read<A> {
  return { name, scope, rows: 'one', arguments: args, statements: [{ sql }] };
}

/** Rows in an order of their own, which are never many or are limited by an argument. */
export function readMany<const A extends ReadArguments>(
  name: string,
  args: A,
  sql: string,
): Read<A> {
  return { name, scope: 'sign-in', rows: 'many', arguments: args, statements: [{ sql }] };
}

export const PAGE = { limit: 'int', cursor_at: 'timestamptz', cursor_id: 'uuid' } as const;

/** Rows of a table in the order of two of its columns, newest or oldest first. */
type Keyset = {
  readonly table: string;
  /** The alias of the table, in all expressions. */
  readonly as: string;
  /** The two columns: a moment and the key that tells rows of one moment apart. */
  readonly at: string;
  readonly id: string;
  /** What holds for every row that is shown. */
  readonly where?: string;
  /** Columns and the values that they must have. */
  readonly pins?: Readonly<Record<string, string>>;
  /** What the moment is not before, and what it is before. */
  readonly since?: string;
  readonly until?: string;
  /** How many rows; without it as many as the page has. */
  readonly max?: number | undefined;
};

/** `coalesce` in words that PostgreSQL takes for a bound of an index where there is row security. */
export const orElse = (value: string, otherwise: string) =>
  `case when ${value} is null then ${otherwise} else ${value} end`;

const FIRST_ID = `'00000000-0000-0000-0000-000000000000'::uuid`;

/**
 * The rows of one page, read along an index on `organization_id`, the pins, `at` and `id`, which
 * has to exist. Everything that decides where the page begins and ends is a bound of that index.
 * Pinned columns are compared as parts of the key and named in the order, so that no other index
 * gives it: whatever the planner believes of the values, there is one plan that doesn't sort.
 */
export function keysetPage(
  {
    table,
    as,
    at,
    id,
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
  const bounds = isNewest
    ? `${key(moment, row)} < ${values(
        `least(${orElse('p_cursor_at', `'infinity'`)}, ${until})`,
        `case when p_cursor_at < ${until} then p_cursor_id else ${FIRST_ID} end`,
      )} and ${key(moment)} >= ${values(since)}`
    : `${key(moment, row)} > ${values(
        `greatest(${orElse('p_cursor_at', `'-infinity'`)}, ${since})`,
        `case when p_cursor_at >= ${since} then p_cursor_id else ${FIRST_ID} end`,
      )} and ${key(moment)} < ${values(until)}`;
  const direction = isNewest ? 'desc' : 'asc';
  return `select ${as}.* from ${table} ${as}
    where ${as}.organization_id = me.organization_id and ${bounds} ${where ? `and ${where}` : ''}
    order by ${[...columns, moment, row].map((part) => `${part} ${direction}`).join(', ')}
    limit ${max ?? 'p_limit'}`;
}

/** The newest or oldest rows of several sources that are each in that order. */
export function mergedPage(
  source: string,
  { as, at, id, max }: Pick<Keyset, 'as' | 'at' | 'id' | 'max'>,
  order: Order = 'newest',
): string {
  const direction = order === 'newest' ? 'desc' : 'asc';
  return `select ${as}.* from ${source}
    order by ${as}.${at} ${direction}, ${as}.${id} ${direction} limit ${max ?? 'p_limit'}`;
}

type Filter = {
  readonly column: string;
  /** All values that there are, where they are few: one page of each is read where none is given. */
  readonly values?: readonly string[];
};

type View = {
  /** The view's fields; of them `createdAt` and `id` are the key. */
  readonly select: string;
  /** What the fields need beside the row; it leaves no row out. */
  readonly joins?: string;
};

type Page = Keyset &
  View & {
    /** Arguments that may be null, and the columns that they ask for; one at most without `values`. */
    readonly filters?: Readonly<Record<string, Filter>>;
    /**
     * An argument that may be null, and what it asks for, which no index finds. A page then is what
     * the next rows hold of it: fewer than asked for, perhaps none, with the key to go on by.
     */
    readonly search?: { readonly argument: string; readonly where: string };
  };

/** `source`: the rows of a page, in the order of `at` and `id`. */
type SourcePage = Pick<Keyset, 'as' | 'at' | 'id'> & View & { readonly source: string };

/** A list that is paged by key: a page costs the same however many rows there are. */
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
 * A statement for each way to find the rows of a page. A filter that is given and has too many
 * values to be gone through has an index of its own.
 */
function waysOf(page: Page, order: Order, statement: (rows: string) => string): Statement[] {
  const { search, filters = {} } = page;
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
  const searching = search
    ? ways.map(({ page, isAsked }) => ({
        isAsked: [`p_${search.argument} is not null`, ...isAsked],
        sql: statement(mergedPage(`looked ${page.as} where ${search.where}`, page, order)),
        looked: {
          sql: filteredPage({ ...page, max: LOOKED_MAX }, order),
          lastKey: lastKey(page, order),
        },
      }))
    : [];
  return [...searching, ...plain].map(({ isAsked, ...way }) =>
    isAsked.length > 0 ? { when: isAsked.join(' and '), ...way } : way,
  );
}

/** The key of the last of the rows that were looked through, where there may be more. */
function lastKey({ at, id }: Page, order: Order): string {
  const direction = order === 'newest' ? 'desc' : 'asc';
  return `(select json_build_array(${at}, ${id})::text from looked
    order by ${at} ${direction}, ${id} ${direction} offset ${LOOKED_MAX - 1} limit 1)`;
}

/** Of filters with few values a page of each value that is asked for, and the first of all. */
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

/** Rows that have to be computed before they can be ordered; they are all read for each page. */
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

/** So many characters of a text does a list show. */
export const LIST_TEXT_MAX = 2000;
const CHARACTER_BYTES_MAX = 4;

/** What a list shows of a text. Counting its bytes costs nothing, counting its characters does. */
export const shortened = (text: string) => `case when octet_length(${text}) <= ${LIST_TEXT_MAX}
  then ${text} else left(${text}, ${LIST_TEXT_MAX}) end`;

/** Whether a list shows less than the whole text; false for null. */
export const isShortened = (text: string) => `case
  when octet_length(${text}) > ${LIST_TEXT_MAX * CHARACTER_BYTES_MAX} then true
  when octet_length(${text}) > ${LIST_TEXT_MAX} then length(${text}) > ${LIST_TEXT_MAX}
  else false end`;
