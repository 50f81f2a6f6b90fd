import type { TaskStep, ToolCall } from './tasks.endpoints.ts';

/** The tool calls and steps that a task has done so far, each in its order. */
export type TaskProgress = {
  readonly toolCalls: readonly ToolCall[];
  readonly steps: readonly TaskStep[];
};

/** How many of them a stream has told. */
export type ToldProgress = { readonly toolCalls: number; readonly steps: number };

export const NOTHING_TOLD: ToldProgress = { toolCalls: 0, steps: 0 };

/** The id of an event, from which a stream is resumed. */
export const progressId = ({ toolCalls, steps }: ToldProgress) => `${toolCalls}.${steps}`;

/** Null for text that is no such id. */
export function parseProgressId(text: string): ToldProgress | null {
  const [, toolCalls, steps] = /^(\d{1,6})\.(\d{1,6})$/.exec(text) ?? [];
  return toolCalls && steps ? { toolCalls: Number(toolCalls), steps: Number(steps) } : null;
}

type ProgressEvent = { readonly told: ToldProgress } & (
  | { readonly event: 'toolCall'; readonly data: ToolCall }
  | { readonly event: 'step'; readonly data: TaskStep }
);

/** The events that a stream lacks, in their order: the tool calls of a step come before it. */
export function progressSince(told: ToldProgress, progress: TaskProgress): ProgressEvent[] {
  const calls = progress.toolCalls.slice(told.toolCalls);
  const steps = progress.steps.slice(told.steps);
  const events: ProgressEvent[] = [];
  let now = told;
  const tellCalls = (isTold: (call: ToolCall) => boolean) => {
    for (let call = calls[0]; call && isTold(call); call = calls[0]) {
      calls.shift();
      now = { ...now, toolCalls: now.toolCalls + 1 };
      events.push({ event: 'toolCall', data: call, told: now });
    }
  };
  for (const { ordinal, instruction, output, executionTimeMs } of steps) {
    tellCalls(({ step }) => step !== null && step <= ordinal);
    now = { ...now, steps: now.steps + 1 };
    const data = { ordinal, instruction, output, executionTimeMs };
    events.push({ event: 'step', data, told: now });
  }
  tellCalls(() => true);
  return events;
}
