import {
  EngineFailure,
  type EngineTool,
  type JsonObject,
  type ToolAnswer,
  type ToolOperation,
} from '@tallyhand/agent-runtime/engine';
import {
  APPROVAL_ARGUMENTS_MAX,
  APPROVAL_HOURS,
} from '@tallyhand/contracts/features/tasks/approvals.endpoints';
import type { APPROVAL_DECISIONS } from '@tallyhand/contracts/features/tasks/tasks.events';
import { WorkCancelled } from '@tallyhand/contracts/features/tasks/work-failures';

const TURNS_MAX = 200_000;

/** A version of a tool, and whether a call of an operation waits for a person. */
export type UsableTool = {
  readonly version: number;
  readonly tool: EngineTool;
  readonly asks: (operation: ToolOperation, args: JsonObject) => boolean;
};

export type AskedCall = {
  readonly toolId: string;
  readonly toolVersion: number;
  readonly toolName: string;
  readonly operation: string;
  /** A JSON object. */
  readonly arguments: string;
  /** The playbook step that makes the call. */
  readonly step: number | null;
};

/** A call that a person was asked about, with the decision. */
export type AskedApproval = AskedCall & {
  /** JSON of what the model had said. */
  readonly turns: string;
  readonly decided: {
    readonly decision: (typeof APPROVAL_DECISIONS)[number];
    /** Other arguments than the agent's, as a JSON object. */
    readonly arguments?: string | undefined;
    readonly note?: string | undefined;
    readonly forRun: boolean;
  } | null;
};

type Asking = {
  /** The approvals of the work so far, in order. */
  readonly approvals: readonly AskedApproval[];
  /** Whether an earlier worker has made the call. */
  readonly isMade: (tool: EngineTool, operation: ToolOperation, args: JsonObject) => boolean;
  /** Records that the call waits. */
  readonly ask: (call: AskedCall) => Promise<void>;
};

/**
 * The tools of a task or a reply, whose calls wait for a person where their policy says so. A call
 * without a decision is recorded and rejects with `cancelled`: the work is continued after the decision.
 */
export class ToolApprovals {
  readonly #asking: Asking;
  /** Decisions that no call of this run has used yet. */
  readonly #unused: AskedApproval[];
  readonly #waiting = new AbortController();

  constructor(asking: Asking) {
    this.#asking = asking;
    this.#unused = [...asking.approvals];
  }

  /** Aborted when a call waits, so that the run ends. */
  get waits(): AbortSignal {
    return this.#waiting.signal;
  }

  /** `usable`: a tool whose calls are recorded. */
  tool(usable: UsableTool, step: number | null): EngineTool {
    return {
      ...usable.tool,
      call: (operation, args, signal) => this.#call(usable, { operation, args, signal, step }),
    };
  }

  async #call(
    { version: toolVersion, asks, tool }: UsableTool,
    {
      operation,
      args,
      signal,
      step,
    }: {
      readonly operation: ToolOperation;
      readonly args: JsonObject;
      readonly signal: AbortSignal;
      readonly step: number | null;
    },
  ): Promise<ToolAnswer> {
    const call = {
      toolId: tool.id,
      toolVersion,
      toolName: tool.title,
      operation: operation.name,
      arguments: JSON.stringify(args),
      step,
    };
    // A refusal counts even if the policy has changed since.
    const decision = this.#take(call);
    if (decision?.decision === 'refused') return refused(decision.note);
    const approved: JsonObject = decision?.arguments ? JSON.parse(decision.arguments) : args;
    const mayCall =
      !asks(operation, approved) ||
      decision?.toolVersion === toolVersion ||
      this.#isApprovedForRun(call) ||
      this.#asking.isMade(tool, operation, approved);
    if (mayCall) return tool.call(operation, approved, signal);
    if (call.arguments.length > APPROVAL_ARGUMENTS_MAX) {
      return { success: false, output: 'The arguments are too long for a person to approve.' };
    }
    await this.#asking.ask(call);
    this.#waiting.abort();
    throw new EngineFailure(WorkCancelled({}));
  }

  /** The decision on the call, which it uses up: the same call may be wanted twice. */
  #take(call: AskedCall) {
    const isSame = (one: AskedApproval) =>
      one.decided !== null &&
      one.toolId === call.toolId &&
      one.operation === call.operation &&
      one.arguments === call.arguments;
    // What was decided on this version counts before what was decided on an older one.
    const current = this.#unused.findIndex(
      (one) => isSame(one) && one.toolVersion === call.toolVersion,
    );
    const at = current === -1 ? this.#unused.findIndex(isSame) : current;
    const [used] = at === -1 ? [] : this.#unused.splice(at, 1);
    return used?.decided ? { ...used.decided, toolVersion: used.toolVersion } : null;
  }

  #isApprovedForRun({ toolId, toolVersion }: AskedCall) {
    return this.#asking.approvals.some(
      (one) => one.decided?.forRun && one.toolId === toolId && one.toolVersion === toolVersion,
    );
  }
}

const refused = (note: string | undefined): ToolAnswer => ({
  success: false,
  output: note ? `A person refused this call: ${note}` : 'A person refused this call.',
});

/** Of the answer that waited; it is not kept if it is very long, and the model is asked again. */
export const keptTurns = (said: readonly unknown[]) => {
  const text = JSON.stringify(said);
  return text.length <= TURNS_MAX ? text : '[]';
};

/** What the model had said when the step's latest call began to wait. */
export function turnsBefore(approvals: readonly AskedApproval[], step: number | null): unknown[] {
  const last = approvals.at(-1);
  return last && last.step === step ? JSON.parse(last.turns) : [];
}

/** When work that asks now stops waiting. */
export const approvalDeadline = (since: Date) =>
  new Date(since.getTime() + APPROVAL_HOURS * 3_600_000).toISOString();
