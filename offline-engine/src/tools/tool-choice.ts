import type { EngineTool, JsonObject, ToolOperation } from '@tallyhand/agent-runtime/engine';
import { isQuestion } from '../answers/question.ts';
import { detectLanguage, termsOf } from '../words/terms.ts';
import { argumentsIn, paddedWords } from './tool-arguments.ts';

type DescribedTool = Omit<EngineTool, 'call'>;

export type ToolChoice<Tool extends DescribedTool = EngineTool> = {
  tool: Tool;
  operation: ToolOperation;
  args: JsonObject;
  /** What the operation needs and the request does not say. */
  missing: string[];
  /** Why it was chosen. */
  reason: string;
};

type Request<Tool> = {
  readonly input: string;
  /** Values may also stand in what was said before. */
  readonly context?: string | undefined;
  readonly tools: readonly Tool[];
  readonly mustUseTool?: boolean | undefined;
};

/** A request that has less than this in common with what a tool does is about something else. */
const sharedMin = 2;
const coverageMin = 0.5;

type Candidate<Tool extends DescribedTool> = ToolChoice<Tool> & {
  readonly score: number;
  readonly fits: boolean;
};

/**
 * The tool that a request names, or, where it only looks, one whose description fits: at least two
 * of its words, and half of those that the request has. What changes something is called only when
 * its operation is named, or its tool by a request that is no question: "How do I cancel my order?"
 * cancels nothing. Where a tool must be used, the one that fits best.
 */
export function chooseTool<Tool extends DescribedTool>(
  request: Request<Tool>,
): ToolChoice<Tool> | null {
  const { input, context = '', tools, mustUseTool } = request;
  const candidates = tools
    .flatMap((tool) => tool.operations.map((one) => weigh(input, context, tool, one)))
    .sort((a, b) => b.score - a.score);
  const best = candidates.find(({ fits }) => fits) ?? (mustUseTool ? candidates[0] : undefined);
  // A tool that can't be called from these words is passed over, unless it was asked for.
  return best && (mustUseTool || best.missing.length === 0) ? best : null;
}

function weigh<Tool extends DescribedTool>(
  input: string,
  context: string,
  tool: Tool,
  operation: ToolOperation,
): Candidate<Tool> {
  const about = `${tool.title}\n${tool.description}\n${spaced(operation.name)}\n${operation.description}`;
  const language = detectLanguage(input, about);
  const asked = [...new Set(termsOf(input, language))];
  const known = new Set(termsOf(about, language));
  const shared = asked.filter((term) => known.has(term)).length;
  // Values are not about anything: numbers and codes are left out.
  const words = asked.filter((term) => !/\p{N}/u.test(term)).length;
  const own = argumentsIn(input, operation);
  const isOperationNamed = names(input, operation.name);
  const isNamed = isOperationNamed || names(input, tool.title);
  const isTyped = 'path' in own.args && TYPED.test(input);
  const isOrder = isOperationNamed || isTyped || (isNamed && !isQuestion(input));
  const isFitting = shared >= sharedMin && shared >= coverageMin * words;
  const { args, missing } =
    own.missing.length > 0 ? argumentsIn(`${input}\n${context}`, operation) : own;
  const isRead = operation.isRead || READS.includes(args.method);
  return {
    tool,
    operation,
    args,
    missing,
    fits: isOrder || (isRead && (isNamed || isFitting)),
    score: (isNamed ? 100 : 0) + shared - missing.length * 10,
    reason: isNamed
      ? 'the request mentions it'
      : `${shared} words of the request match its description`,
  };
}

/** A request as it is sent over HTTP. */
const TYPED = /(?:^|\s)(?:GET|HEAD|POST|PUT|PATCH|DELETE)\s+\//;
const READS: readonly unknown[] = ['GET', 'HEAD'];
/** Short names are words of every day. */
const nameLengthMin = 4;

function names(input: string, name: string): boolean {
  return name.length >= nameLengthMin && paddedWords(input).includes(paddedWords(name));
}

const spaced = (name: string) => name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/[_-]/g, ' ');
