import type { TaskStep, ToolCall } from './tasks.endpoints.ts';

/** The tool calls and steps that a task has done so far, each in its order. */
export type TaskProgress = {
  readonly toolCalls: readonly ToolCall[];
  readonly steps: readonly TaskStep[];
};

/** A done step in the output of its task, which has them all, with an empty line between. */
export const stepSection = ({
  ordinal,
  instruction,
  output,
}: Pick<TaskStep, 'ordinal' | 'instruction' | 'output'>) =>
  `### ${ordinal}. ${instruction}\n\n${output}`;

/** How many of them a stream has sent. */
export type SentProgress = { readonly toolCalls: number; readonly steps: number };

export const NOTHING_SENT: SentProgress = { toolCalls: 0, steps: 0 };

/** The id of an event, from which a stream is resumed. */
export const progressId = ({ toolCalls, steps }: SentProgress) => `${toolCalls}.${steps}`;

/** Null for any other text. */
export function parseProgressId(text: string): SentProgress | null {
  const [, toolCalls, steps] = /^(\d{1,6})\.(\d{1,6})$/.exec(text) ?? [];
  return toolCalls && steps ? { toolCalls: Number(toolCalls), steps: Number(steps) } : null;
}

type ProgressEvent = { readonly sent: SentProgress } & (
  | { readonly event: 'toolCall'; readonly data: ToolCall }
  | { readonly event: 'step'; readonly data: TaskStep }
);

/** The events that a stream lacks, in their order: the tool calls of a step come before it. */
export function progressSince(sent: SentProgress, progress: TaskProgress): ProgressEvent[] {
  const calls = progress.toolCalls.slice(sent.toolCalls);
  const steps = progress.steps.slice(sent.steps);
  const events: ProgressEvent[] = [];
  let now = sent;
  const addCalls = (isDue: (call: ToolCall) => boolean) => {
    for (let call = calls[0]; call && isDue(call); call = calls[0]) {
      calls.shift();
      now = { ...now, toolCalls: now.toolCalls + 1 };
      events.push({ event: 'toolCall', data: call, sent: now });
    }
  };
  for (const { ordinal, instruction, output, executionTimeMs } of steps) {
    addCalls(({ step }) => step !== null && step <= ordinal);
    now = { ...now, steps: now.steps + 1 };
    const data = { ordinal, instruction, output, executionTimeMs };
    events.push({ event: 'step', data, sent: now });
  }
  addCalls(() => true);
  return events;
}
