import type { Order } from '@tallyhand/contracts/kernel/lists';

/**
 * Tables that one projection fills from events. They can be made anew from the first event at any
 * time: raising `version`, or changing a table, drops and rebuilds them.
 */
export type ReadModel = {
  readonly name: string;
  /** Browsers that show something of this feature are told when rows change. */
  readonly feature: string;
  readonly version: number;
  /** Column lists by table name; each table has an `organization_id` and is closed by row. */
  readonly tables: Readonly<Record<string, string>>;
  /** For reads. A rebuild makes them when all rows are there: that costs less than row by row. */
  readonly indexes?: readonly string[];
  /** What the projection itself looks rows up by. */
  readonly writeIndexes?: readonly string[];
  readonly functions?: Readonly<Record<string, StoredFunction>>;
};

/**
 * A search that a service calls. Row-level security keeps PostgreSQL from using an index of text
 * search, so the function runs as the tables' owner and is closed by itself: `mine` is the
 * organization that is set, each table in it has to be filtered by it, and nothing runs without one.
 */
export type StoredFunction = {
  /** The service that may call it. */
  readonly caller: 'command' | 'query';
  readonly arguments: Readonly<Record<string, string>>;
  /** Columns with their types. */
  readonly returns: string;
  readonly declares: string;
  /** Statements of PL/pgSQL; arguments as `p_name`. */
  readonly body: string;
};

export function readModel<const M extends ReadModel>(model: M): M {
  return model;
}

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
   * Planned at each call: of conditions that are there only where they are given, one plan for all
   * calls takes so few rows to be left that it sorts them all.
   */
  readonly isPlannedEachTime?: boolean;
  /** Selects the view's fields; arguments as `p_name`, the caller's id as `me.user_id`. */
  readonly sql: string;
};

export function readOne<const A extends ReadArguments>(
  name: string,
  args: A,
  sql: string,
  scope: Read['scope'] = 'sign-in',
): Read<A> {
  return { name, scope, rows: 'one', arguments: args, sql };
}

/** Rows in an order of their own, which are never many or are limited by an argument. */
export function readMany<const A extends ReadArguments>(
  name: string,
  args: A,
  sql: string,
): Read<A> {
  return { name, scope: 'sign-in', rows: 'many', arguments: args, sql };
}

const PAGE = { limit: 'int', cursor_at: 'timestamptz', cursor_id: 'uuid' } as const;

const DIRECTIONS = {
  newest: { isBehind: '<', direction: 'desc' },
  oldest: { isBehind: '>', direction: 'asc' },
} as const;

/** `createdAt` and `id` of the rows decide the order, and they are paged by that key. */
export function readPage<const A extends ReadArguments = Record<never, never>>(
  name: string,
  sql: string,
  args: A = {} as A,
  order: Order = 'newest',
): Read<A & typeof PAGE> {
  const { isBehind, direction } = DIRECTIONS[order];
  return {
    name,
    scope: 'sign-in',
    rows: 'page',
    arguments: { ...args, ...PAGE },
    sql: `select * from (${sql}) page
      where p_cursor_at is null
        or (page."createdAt", page.id) ${isBehind} (p_cursor_at, p_cursor_id)
      order by page."createdAt" ${direction}, page.id ${direction} limit p_limit`,
  };
}

/** One statement for each order, so that each has its own plan. */
export function inEachOrder<R extends Read>(make: (order: Order, suffix: string) => R) {
  return { newest: make('newest', ''), oldest: make('oldest', '_oldest') };
}

/** What of a long text a list shows. */
export const LIST_TEXT_MAX = 2000;
