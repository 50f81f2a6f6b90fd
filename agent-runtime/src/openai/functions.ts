import {
  type EngineTool,
  type JsonObject,
  type ToolAnswer,
  type ToolOperation,
  throwIfCancelled,
} from '../engine.ts';
import { cleanText, defuse } from './clean-text.ts';
import type { AskedCall } from './turn.ts';

const nameLengthMax = 64;
const descriptionLengthMax = 1_000;
const outputLengthMax = 16_000;
/** Models choose badly among more, and each costs tokens. */
const functionsMax = 100;
const callsAtOnceMax = 8;

type DescribedTool = Omit<EngineTool, 'call'>;
type Offered<Tool> = { tool: Tool; operation: ToolOperation };

/** The operations of tools by the names of their functions. */
export function offeredOf<Tool extends DescribedTool>(
  tools: readonly Tool[],
  isTaken: (name: string) => boolean,
): Map<string, Offered<Tool>> {
  const offered = new Map<string, Offered<Tool>>();
  for (const tool of tools) {
    for (const operation of tool.operations) {
      if (offered.size === functionsMax) return offered;
      const name = nameFor(tool, operation, (one) => isTaken(one) || offered.has(one));
      offered.set(name, { tool, operation });
    }
  }
  return offered;
}

export const definitionOf = (name: string, { tool, operation }: Offered<DescribedTool>) => ({
  type: 'function' as const,
  function: {
    name,
    description: describe(tool, operation),
    parameters: { ...operation.parameters },
  },
});

/** The tools of a request as functions with distinct names. */
export class ToolFunctions {
  readonly #offered: Map<string, Offered<EngineTool>>;
  readonly #marker: string;
  /** The number of real tool calls so far. */
  calls = 0;

  constructor(tools: readonly EngineTool[], marker: string) {
    this.#offered = offeredOf(tools, () => false);
    this.#marker = marker;
  }

  get count(): number {
    return this.#offered.size;
  }

  get definitions() {
    return [...this.#offered].map(([name, one]) => definitionOf(name, one));
  }

  /** The messages that answer the calls of one turn, in their order, fenced. */
  async answers(all: readonly AskedCall[], signal: AbortSignal) {
    const messages = [];
    for (const [at, asked] of all.entries()) {
      throwIfCancelled(signal);
      const answer =
        at < callsAtOnceMax
          ? await this.#call(asked, signal)
          : failed('Too many calls at once; ask again for those that are needed.');
      const content = fenced(answer, this.#marker);
      messages.push({ role: 'tool' as const, tool_call_id: asked.id, content });
    }
    return messages;
  }

  async #call(asked: AskedCall, signal: AbortSignal): Promise<ToolAnswer> {
    const one = this.#offered.get(asked.name);
    if (!one) {
      const names = [...this.#offered.keys()].slice(0, 20).join(', ');
      return failed(`There is no such tool. There are: ${names}.`);
    }
    const args = argumentsOf(asked.arguments);
    if (!args) return failed('The arguments are no JSON object.');
    this.calls += 1;
    return one.tool.call(one.operation, args, signal);
  }
}

const failed = (output: string): ToolAnswer => ({ success: false, output });

function fenced({ success, output }: ToolAnswer, marker: string): string {
  const said = defuse(cleanText(output, outputLengthMax));
  const state = success ? 'answer' : 'failure';
  return `<<<tool ${state} ${marker}>>>\n${said}\n<<<end tool ${state} ${marker}>>>`;
}

/** An unused name of letters, digits and _, made from those of the tool and the operation. */
function nameFor(
  tool: DescribedTool,
  operation: ToolOperation,
  isTaken: (name: string) => boolean,
): string {
  const plain = `${tool.title}_${operation.name}`
    .normalize('NFKD')
    .replace(/[^a-zA-Z0-9-]+/g, '_')
    .replace(/^_+|_+$/g, '');
  const wanted = (plain || 'tool').slice(0, nameLengthMax);
  let name = wanted;
  for (let times = 2; isTaken(name); times += 1) {
    name = `${wanted.slice(0, nameLengthMax - 4)}_${times}`;
  }
  return name;
}

/** A tool's texts were written by a member of the organization; they are cleaned, not fenced. */
const describe = (tool: DescribedTool, operation: ToolOperation) =>
  defuse(
    cleanText(`${tool.title}: ${tool.description}\n${operation.description}`, descriptionLengthMax),
  );

export function argumentsOf(text: string): JsonObject | undefined {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
