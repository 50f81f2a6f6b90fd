import type { Role } from './role.ts';

/** Who may make a call. Each endpoint names one of the values below; nothing else decides it. */
export type Access<IsPublic extends boolean = boolean> = {
  /** Whether the call works without a sign-in. */
  readonly isPublic: IsPublic;
  /** The roles, of members and API keys, that may make the call; null for all roles. */
  readonly roles: readonly Role[] | null;
  /** False for calls about a personal account: an API key is no person, whatever its role. */
  readonly takesApiKeys: boolean;
};

const only = (...roles: Role[]) => ({ isPublic: false, roles, takesApiKeys: true }) as const;

export const PUBLIC: Access<true> = { isPublic: true, roles: null, takesApiKeys: true };
/** Public calls that lead to an account, such as signing in. */
export const PUBLIC_ACCOUNT: Access<true> = { isPublic: true, roles: null, takesApiKeys: false };
/** Everyone who may sign in, for their own account: password, sign-ins, profile. */
export const OWN_ACCOUNT: Access<false> = { isPublic: false, roles: null, takesApiKeys: false };
/** Every role but the Auditor, who reads the records of the work and takes no part in it. */
export const MEMBERS = only('Admin', 'Editor', 'AgentManager', 'Viewer');
/** As `MEMBERS`, for what belongs to one person, such as notifications. */
export const MEMBERS_ACCOUNT: Access<false> = { ...MEMBERS, takesApiKeys: false };
/** Everyone: the histories of objects, and what is needed to find their way. */
export const HISTORY_READERS = only(...MEMBERS.roles, 'Auditor');
/** The audit log and the ledger, with their proofs. */
export const AUDIT_READERS = only('Admin', 'Auditor');
/** Roles that manage agents and tools. */
export const AGENT_MANAGERS = only('Admin', 'Editor', 'AgentManager');
/** Roles that manage articles and playbooks. */
export const EDITORS = only('Admin', 'Editor');
export const ADMINS = only('Admin');
/** The product's own processes, with the service token; no role may. */
export const SERVICES: Access<false> = { isPublic: false, roles: [], takesApiKeys: false };

/** Whether the role may make the call, as far as the endpoint declares it. */
export const mayCall = (role: Role, { roles }: Pick<Access, 'roles'>): boolean =>
  roles === null || roles.includes(role);

const MEMBER_RANKS: readonly Role[] = ['Admin', 'Editor', 'AgentManager', 'Viewer'];

/**
 * The role in which a key is used: the lesser one of its own and its member's. Null if they have
 * nothing in common. `operational.lesser_role` in PostgreSQL decides the same.
 */
export function lesserRole(one: Role, other: Role): Role | null {
  if (one === other || other === 'Admin') return one;
  if (one === 'Admin') return other;
  const rank = Math.max(...[one, other].map((role) => MEMBER_RANKS.indexOf(role)));
  return one === 'Auditor' || other === 'Auditor' ? null : (MEMBER_RANKS[rank] ?? null);
}

/** A key with this role reads and changes nothing, even where members with the role may. */
export const keyReadsOnly = (role: Role, { method }: { readonly method: string }): boolean =>
  role === 'Viewer' && method !== 'GET';
