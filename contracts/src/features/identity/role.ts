import { z } from 'zod';

export const ROLES = ['Admin', 'Editor', 'AgentManager', 'Viewer'] as const;
export const Role = z.enum(ROLES, { error: `Role must be one of ${ROLES.join(', ')}` });
export type Role = z.infer<typeof Role>;

/** Who may manage agents and tools. */
export const AGENT_KEEPERS: readonly Role[] = ['Admin', 'Editor', 'AgentManager'];
/** Who may manage articles and playbooks. */
export const KNOWLEDGE_KEEPERS: readonly Role[] = ['Admin', 'Editor'];
export const ADMINS: readonly Role[] = ['Admin'];
