import { z } from 'zod';
import { Id, Instant } from '../../kernel/ids.ts';
import { APPROVAL_DECISIONS } from './tasks.events.ts';

/** A call of a tool that a person decides on before it is made. */
export const Approval = z.object({
  id: Id,
  toolId: Id,
  toolName: z.string(),
  toolVersion: z.int(),
  operation: z.string(),
  /** The agent's arguments, a JSON object as text. */
  arguments: z.string(),
  /** The playbook step that makes the call. */
  step: z.int().nullable(),
  createdAt: Instant,
  /** Without a decision until then, the task fails and costs nothing. */
  expiresAt: Instant,
  /** Null while it waits, or if the task ended before. */
  decision: z.enum(APPROVAL_DECISIONS).nullable(),
  /** Other arguments than the agent's, with which the call was approved. */
  changedArguments: z.string().nullable(),
  /** What the agent was told about a refusal. */
  note: z.string().nullable(),
  /** Further calls of the tool need no approval in this task. */
  forRun: z.boolean(),
  decidedAt: Instant.nullable(),
  /** Without a name: a former member. */
  decidedBy: z.object({ id: Id, name: z.string().nullable() }).nullable(),
});
export type Approval = z.infer<typeof Approval>;
