import type { Columns, RowOf } from './columns.ts';

/**
 * A table as it is declared once: from here come its DDL, grants, row-level security policies and
 * the type of its rows.
 */
export type Table<C extends Columns = Columns> = {
  readonly columns: C;
  /** The primary key. */
  readonly key?: readonly string[];
  /** A unique constraint: what follows `unique` in DDL. */
  readonly unique?: string;
  /** For reads: what follows the table's name in DDL. A rebuild creates them last, which is cheaper. */
  readonly indexes?: readonly string[];
  /** For lookups by the projection itself. */
  readonly writeIndexes?: readonly string[];
  /**
   * For a table that counts rows of the model's other tables: the query that counts them. A new
   * counter starts with its result.
   */
  readonly counts?: string;
};

export const table = <C extends Columns>(
  declaration: Table<C> & { readonly key?: readonly (keyof NoInfer<C>)[] },
): Table<C> => declaration;

/**
 * Tables that one projection fills from events. A rebuild makes them again from the first event;
 * it happens when `version` is raised, or when a table's columns, keys or indexes change.
 */
export type ReadModel = {
  readonly name: string;
  /** Live messages name this feature to browsers when rows change. */
  readonly feature: string;
  readonly version: number;
  readonly tables: Readonly<Record<string, Table>>;
  readonly functions?: Readonly<Record<string, StoredFunction>>;
};

/**
 * A search that a service calls. Row-level security keeps PostgreSQL from using a text search index,
 * so the function runs as the tables' owner and enforces isolation itself: `mine` is the current
 * organization, each table in the body must be filtered by it, and without one nothing runs.
 */
export type StoredFunction = {
  /** The service that may call it. */
  readonly caller: 'command' | 'query';
  readonly arguments: Readonly<Record<string, string>>;
  /** Columns with their types. */
  readonly returns: string;
  readonly declares: string;
  /** PL/pgSQL statements; arguments as `p_name`. */
  readonly body: string;
  /** One plan serves all calls. By default each call is planned, which may cost more than it saves. */
  readonly plansOnce?: true;
  /** Rows come from indexes in order; whatever no index orders is limited before it is sorted. */
  readonly sortsLittle?: true;
};

export function readModel<const M extends ReadModel>(model: M): M {
  return model;
}

/** The row types of a model's tables, by table name. */
export type RowsOf<M extends ReadModel> = {
  [T in keyof M['tables']]: RowOf<M['tables'][T]['columns']>;
};
