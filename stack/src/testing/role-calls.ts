import type { Role } from '@tallyhand/contracts/kernel/role';

/* Roles are written by hand from the specification, not read from the product. */

export const everyone: readonly Role[] = ['Admin', 'Editor', 'AgentManager', 'Viewer', 'Auditor'];
export const members: readonly Role[] = ['Admin', 'Editor', 'AgentManager', 'Viewer'];
export const auditReaders: readonly Role[] = ['Admin', 'Auditor'];
export const agentKeepers: readonly Role[] = ['Admin', 'Editor', 'AgentManager'];
export const articleKeepers: readonly Role[] = ['Admin', 'Editor'];
export const admins: readonly Role[] = ['Admin'];

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
