type SqlType =
  | 'uuid'
  | 'uuid[]'
  | 'text'
  | 'text collate "C"'
  | 'text[]'
  | 'boolean'
  | 'int'
  | 'bigint'
  | 'date'
  | 'timestamptz'
  | 'jsonb'
  | 'bytea'
  | 'tsvector';

/** A column of a read model. `T` is its value in a row, as projections read and write it. */
export type Column<T = unknown> = {
  readonly type: SqlType;
  readonly isNullable?: true;
  /** An SQL expression. */
  readonly default?: string;
  /** Exists for the compiler only. */
  readonly value?: T;
};

const column = <T>(type: SqlType): Column<T> => ({ type });

export const uuid = column<string>('uuid');
export const uuids = column<readonly string[]>('uuid[]');
export const text = column<string>('text');
export const texts = column<readonly string[]>('text[]');
export const boolean = column<boolean>('boolean');
export const int = column<number>('int');
export const bigint = column<number>('bigint');
/** ISO 8601, without a time. */
export const date = column<string>('date');
/** ISO 8601. */
export const timestamp = column<string>('timestamptz');
/** As PostgreSQL writes bytes: `\x` and hexadecimal digits. */
export const bytes = column<string>('bytea');
export const searchVector = column<string>('tsvector');
/** Text that is one of a few values. */
export const textOf = <T extends string>() => column<T>('text');
export const json = <T>() => column<T>('jsonb');

export const orNull = <T>(of: Column<T>): Column<T | null> => ({ type: of.type, isNullable: true });

/** `value` is what rows get that are written without the column. */
export const withDefault = <T>(of: Column<T>, value: string): Column<T> => ({
  ...of,
  default: value,
});

/** Characters of a sort key. */
export const SORT_KEY_MAX = 100;

/**
 * What rows are sorted by in place of a name: its beginning without capital letters, accents and
 * characters that are not shown. Projections fill it from the name. It is compared byte by byte, so
 * the order depends on no collation of the system.
 */
export const sortKeyOfName = column<string>('text collate "C"');
export const sortKeyOf = (name: string): string =>
  [
    ...name
      .normalize('NFKD')
      .toLowerCase()
      .replace(/[\p{Mn}\p{C}]/gu, ''),
  ]
    .slice(0, SORT_KEY_MAX)
    .join('');

/** Each table has an `organization_id`: row-level security compares it. */
export type Columns = { readonly organization_id: Column<string> } & Readonly<
  Record<string, Column>
>;

export type RowOf<C extends Columns> = {
  [K in keyof C]: C[K] extends Column<infer T> ? T : never;
};

/** The name of a column in events and in the API: `created_at` is `createdAt`. */
export type Camel<S> = S extends `${infer Head}_${infer Rest}`
  ? `${Head}${Capitalize<Camel<Rest>>}`
  : S;

export const camel = (name: string) =>
  name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** The name of an event's or a view's field as a column: `createdAt` is `created_at`. */
export const snake = (name: string) =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
