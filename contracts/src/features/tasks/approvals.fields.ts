import { z } from 'zod';
import { Id, Instant } from '../../kernel/ids.ts';
import { APPROVAL_DECISIONS } from './tasks.events.ts';

/** A call of a tool, or a form, that a person decides on before it is made or sent. */
export const Approval = z.object({
  id: Id,
  /** Null for a form that is sent in a session, and so is its version. */
  toolId: Id.nullable(),
  /** The tool, or the host that gets the form. */
  toolName: z.string(),
  toolVersion: z.int().nullable(),
  operation: z.string(),
  /** The agent's arguments, a JSON object as text. */
  arguments: z.string(),
  /** The playbook step that makes the call. */
  step: z.int().nullable(),
  createdAt: Instant,
  /**
   * Without a decision until then, a task fails and costs nothing, a message has no reply, and in a
   * session the call counts as refused.
   */
  expiresAt: Instant,
  /** Null while it waits, or if the work ended or continued without it. */
  decision: z.enum(APPROVAL_DECISIONS).nullable(),
  /** Other arguments than the agent's, with which the call was approved. */
  changedArguments: z.string().nullable(),
  /** What the agent was told about a refusal. */
  note: z.string().nullable(),
  /** Further calls of the tool need no approval in this task, reply or session. */
  forRun: z.boolean(),
  decidedAt: Instant.nullable(),
  /** Null, too, if nobody decided in time. Without a name: a former member. */
  decidedBy: z.object({ id: Id, name: z.string().nullable() }).nullable(),
});
export type Approval = z.infer<typeof Approval>;
