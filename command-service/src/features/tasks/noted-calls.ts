import type { EngineTool, ToolAnswer } from '@tallyhand/agent-runtime/engine';
import type { DoneCall } from './task.decider.ts';

/** What one task may do to other people's servers. */
const CALLS_MAX = 20;
const INPUT_KEPT_MAX = 4_000;
const OUTPUT_KEPT_MAX = 16_000;

const NO_MORE: ToolAnswer = {
  success: false,
  output: `A task may call tools ${CALLS_MAX} times; no more calls are made.`,
};

type Noting = {
  /** What an earlier worker, which died, has called already. */
  readonly before: readonly DoneCall[];
  readonly note: (call: DoneCall) => Promise<void>;
};

/**
 * Tools whose calls are kept with their task, each as soon as it is answered. A call that an
 * earlier worker made is not made again: its answer stands.
 */
export function notedCalls({ before, note }: Noting) {
  const unused = [...before];
  const made: DoneCall[] = [];

  async function call(
    tool: EngineTool,
    step: number | null,
    input: string,
    work: () => Promise<ToolAnswer>,
  ): Promise<ToolAnswer> {
    const earlier = unused.findIndex((one) => one.toolId === tool.id && one.input === input);
    const [known] = earlier === -1 ? [] : unused.splice(earlier, 1);
    if (known) {
      made.push(known);
      return { success: known.success, output: known.output };
    }
    const ordinal = before.length + made.filter((one) => !before.includes(one)).length + 1;
    if (ordinal > CALLS_MAX) return NO_MORE;
    const started = Date.now();
    const answer = await work();
    const output = answer.output.slice(0, OUTPUT_KEPT_MAX).toWellFormed();
    const call = {
      ...{ ordinal, toolId: tool.id, toolName: tool.title, step, input, output },
      success: answer.success,
      executionTimeMs: Date.now() - started,
    };
    await note(call);
    made.push(call);
    return { success: answer.success, output };
  }

  return {
    /** The tools for one step of a playbook, or for the whole task. */
    tools: (tools: readonly EngineTool[], step: number | null): EngineTool[] =>
      tools.map((tool) => ({
        ...tool,
        call: (operation, args, signal) => {
          const text = `${operation.name} ${JSON.stringify(args)}`;
          const input = text.slice(0, INPUT_KEPT_MAX).toWellFormed();
          return call(tool, step, input, () => tool.call(operation, args, signal));
        },
      })),
    /** What was called in this run, or stood from the one before. */
    made: (): readonly DoneCall[] => made,
  };
}
