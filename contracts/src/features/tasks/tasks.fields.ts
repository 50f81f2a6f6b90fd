import { z } from 'zod';
import { Id } from '../../kernel/ids.ts';

/** A tool call and its result; `ordinal` counts from 1. */
export const ToolCall = z.object({
  ordinal: z.int(),
  toolId: Id,
  toolName: z.string(),
  /** The playbook step that made the call. */
  step: z.int().nullable(),
  input: z.string(),
  output: z.string(),
  success: z.boolean(),
  executionTimeMs: z.int(),
});
export type ToolCall = z.infer<typeof ToolCall>;

/** A step of a playbook that is done; `ordinal` counts from 1. */
export const TaskStep = z.object({
  ordinal: z.int(),
  instruction: z.string(),
  output: z.string(),
  executionTimeMs: z.int(),
});
export type TaskStep = z.infer<typeof TaskStep>;
