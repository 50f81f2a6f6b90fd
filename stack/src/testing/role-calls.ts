import type { Role } from '@tallyhand/contracts/kernel/role';

/* Roles are written by hand from the specification, not read from the product. */

export const roleSets = {
  everyone: ['Admin', 'Editor', 'AgentManager', 'Viewer', 'Auditor'],
  members: ['Admin', 'Editor', 'AgentManager', 'Viewer'],
  auditReaders: ['Admin', 'Auditor'],
  agentKeepers: ['Admin', 'Editor', 'AgentManager'],
  articleKeepers: ['Admin', 'Editor'],
  admins: ['Admin'],
} satisfies Readonly<Record<string, readonly Role[]>>;

/** A call, and the roles that may make it. */
export type Call = {
  readonly name: string;
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
