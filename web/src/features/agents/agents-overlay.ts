import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';

/** What is open over the list. */
export type AgentsOverlay =
  | { kind: 'create' }
  | {
      kind: 'edit' | 'assign' | 'mailbox' | 'execute' | 'chat' | 'delete';
      agent: Agent;
    };
