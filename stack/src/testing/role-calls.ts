import type { Role } from '@tallyhand/contracts/kernel/role';

/** A call, and the roles that may make it. */
export type Call = {
  readonly name: string;
  /** Who may call, written by hand from the specification: not read from the product. */
  readonly who: readonly Role[];
  readonly id?: () => string | Promise<string>;
  /** A function if it names something created before. */
  readonly body?: object | (() => object);
  readonly query?: Readonly<Record<string, string>>;
  readonly status?: number;
};

/** Calls that need nothing. */
export const each = (who: readonly Role[], ...names: string[]): Call[] =>
  names.map((name) => ({ name, who }));

/** Calls about one object. */
export const of = (who: readonly Role[], id: () => string, ...names: string[]): Call[] =>
  names.map((name) => ({ name, who, id }));
