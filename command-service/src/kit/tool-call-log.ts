import type {
  EngineTool,
  JsonObject,
  ToolAnswer,
  ToolOperation,
} from '@tallyhand/agent-runtime/engine';

const INPUT_KEPT_MAX = 4_000;
const OUTPUT_KEPT_MAX = 16_000;

/** A call of a tool with its answer; `ordinal` counts from 1. */
export type LoggedCall = {
  readonly ordinal: number;
  readonly toolId: string;
  readonly toolName: string;
  /** The step of a playbook that it was called in. */
  readonly step: number | null;
  readonly input: string;
  readonly output: string;
  readonly success: boolean;
  readonly executionTimeMs: number;
};

type Noting = {
  /** Their caller, for the model, and the maximum number of calls: they go to foreign servers. */
  readonly by: string;
  readonly callsMax: number;
  /** The calls of an earlier worker, which died. */
  readonly before: readonly LoggedCall[];
  readonly note: (call: LoggedCall) => Promise<void>;
};

/**
 * Tools whose calls are recorded with their caller, each as soon as it is answered. A call that an
 * earlier worker made is not repeated: its recorded answer is used.
 */
export function toolCallLog({ by, callsMax, before, note }: Noting) {
  const unused = [...before];
  const made: LoggedCall[] = [];

  async function call(
    tool: EngineTool,
    step: number | null,
    input: string,
    work: () => Promise<ToolAnswer>,
  ): Promise<ToolAnswer> {
    const earlier = unused.findIndex(isCall(tool, input));
    const [known] = earlier === -1 ? [] : unused.splice(earlier, 1);
    if (known) {
      made.push(known);
      return { success: known.success, output: known.output };
    }
    const ordinal = before.length + made.filter((one) => !before.includes(one)).length + 1;
    if (ordinal > callsMax) {
      const output = `A ${by} may call tools ${callsMax} times; no more calls are made.`;
      return { success: false, output };
    }
    const started = Date.now();
    const answer = await work();
    const output = answer.output.slice(0, OUTPUT_KEPT_MAX).toWellFormed();
    const call = {
      ordinal,
      toolId: tool.id,
      toolName: tool.title,
      step,
      input,
      output,
      success: answer.success,
      executionTimeMs: Date.now() - started,
    };
    await note(call);
    made.push(call);
    return { success: answer.success, output };
  }

  return {
    /** The tool for one step of a playbook, or for the whole task. */
    tool: (tool: EngineTool, step: number | null): EngineTool => ({
      ...tool,
      call: (operation, args, signal) =>
        call(tool, step, inputOf(operation, args), () => tool.call(operation, args, signal)),
    }),
    /** Whether an earlier worker made the call. */
    isKnown: (tool: EngineTool, operation: ToolOperation, args: JsonObject): boolean =>
      unused.some(isCall(tool, inputOf(operation, args))),
    /** The calls of this run, and those recorded before. */
    made: (): readonly LoggedCall[] => made,
  };
}

const inputOf = ({ name }: ToolOperation, args: JsonObject) =>
  `${name} ${JSON.stringify(args)}`.slice(0, INPUT_KEPT_MAX).toWellFormed();

const isCall =
  ({ id }: EngineTool, input: string) =>
  (one: LoggedCall) =>
    one.toolId === id && one.input === input;
