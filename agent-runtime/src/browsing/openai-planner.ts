import type { TokenUsage } from '@tallyhand/contracts/features/models/model-usage';
import {
  type BrowsingAction,
  FINISH_RESULTS,
} from '@tallyhand/contracts/features/sessions/browsing';
import {
  ModelPlannedNothing,
  ModelRefusedPlan,
} from '@tallyhand/contracts/features/tasks/work-failures';
import { z } from 'zod';
import { EngineFailure, type ModelSource, type OnModelCall } from '../engine.ts';
import {
  type Endpoint,
  inTime,
  type OpenAiClient,
  openAiClient,
  withoutKey,
} from '../openai/client.ts';
import { argumentsOf, definitionOf, offeredOf } from '../openai/functions.ts';
import { asMessage, type Message } from '../openai/loop.ts';
import { observeModelCall, sumOfUsage } from '../openai/model-calls.ts';
import { type ModelOptions, optionsOf, partsOf } from '../openai/model-options.ts';
import { type OptionalPart, OptionalParts } from '../openai/optional-parts.ts';
import { objectIn } from '../openai/reply.ts';
import { type AskedCall, type Turn, turnOf } from '../openai/turn.ts';
import { planPrompt } from './model-prompt.ts';
import type { PlannedStep, Planner, PlanRequest } from './planner.ts';

export type OpenAiPlannerConfig = Endpoint & {
  model: string;
  /** For a whole step, including retries and a second attempt. */
  timeoutMs?: number;
  maxRetries?: number;
  onModelCall?: OnModelCall | undefined;
  options?: ModelOptions | undefined;
  source?: ModelSource | undefined;
  /** Whether a test has found that the model takes images. */
  takesImages?: boolean | null | undefined;
};

type Actions = ReturnType<typeof modelActions>;

const triesMax = 2;
const reasoningLengthMax = 4_000;
const seeing =
  /^(?:gpt-4o|gpt-4\.1|gpt-5|o\d|claude|gemini|pixtral|llava)|vision|[-_:]vl(?:[-_:\d]|$)|\dvl\b/;

/** Plans each step through any OpenAI-compatible endpoint, by calls of functions. */
export function openAiPlanner(config: OpenAiPlannerConfig): Planner {
  const { model, timeoutMs = 60_000, maxRetries = 2, onModelCall } = config;
  const client = openAiClient(config, { timeoutMs, maxRetries });
  const optional = new OptionalParts();
  const maySeeImages = config.takesImages ?? seesImages(model);
  const canSee = () => maySeeImages && !optional.isRefused('image');

  function say(asked: Asked, signal: AbortSignal): Promise<Turn> {
    const wanted: OptionalPart[] = [...partsOf(config.options), 'choice', 'tools'];
    if (maySeeImages && asked.image !== null) wanted.push('image');
    // An endpoint may refuse the tools of one request; that does not matter to the next.
    const isRemembered = (part: OptionalPart) =>
      (part !== 'choice' && part !== 'tools') || !asked.actions.hasTools;
    return optional.send(wanted, isRemembered, (parts) =>
      sayOnce(client, config, asked, parts, signal),
    );
  }

  return {
    model,
    get seesImages() {
      return canSee();
    },
    async next(request) {
      const asked = askedOf(request);
      const { step } = await observeModelCall(
        { purpose: 'plan', model, source: config.source },
        [onModelCall, request.onModelCall],
        () =>
          inTime((signal) => planBy(say, asked, signal), timeoutMs, request.signal, config.circuit),
        ({ usage }) => usage,
      );
      const { action, reasoning } = stepWithoutKey(step, config);
      return { action, reasoning: reasoning.slice(0, reasoningLengthMax) };
    },
  };
}

/** An endpoint may repeat the key anywhere in its decision. */
const stepWithoutKey = (step: PlannedStep, endpoint: Endpoint): PlannedStep =>
  JSON.parse(JSON.stringify(step), (_, value: unknown) =>
    typeof value === 'string' ? withoutKey(value, endpoint) : value,
  );

/**
 * Whether an untested model is sent screenshots: large, so only those whose names promise it. An
 * endpoint may still refuse them.
 */
export const seesImages = (model: string): boolean =>
  seeing.test(model.toLowerCase().split('/').at(-1) ?? '');

type Asked = {
  readonly messages: readonly Message[];
  readonly image: string | null;
  readonly actions: Actions;
};

function askedOf(request: PlanRequest): Asked {
  const { system, user } = planPrompt(request);
  const screenshot = request.page?.screenshot ?? null;
  return {
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    image: screenshot && Buffer.from(screenshot).toString('base64'),
    actions: modelActions(request),
  };
}

async function planBy(
  say: (asked: Asked, signal: AbortSignal) => Promise<Turn>,
  asked: Asked,
  signal: AbortSignal,
): Promise<{ step: PlannedStep; usage: TokenUsage }> {
  let { messages } = asked;
  let usage: TokenUsage | null = null;
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const turn = await say({ ...asked, messages }, signal);
    usage = usage ? sumOfUsage(usage, turn.usage) : turn.usage;
    if (turn.isRefused) {
      throw new EngineFailure(ModelRefusedPlan({}));
    }
    const read = readTurn(turn, asked.actions);
    if ('step' in read) return { step: read.step, usage };
    // As text: most endpoints refuse a call without an answer by its tool.
    const said = [turn.text, ...turn.calls.map((one) => `${one.name}(${one.arguments})`)];
    messages = [
      ...asked.messages,
      asMessage({ ...turn, text: said.join('\n').slice(0, 4_000) || '(nothing)', calls: [] }),
      { role: 'user', content: `${read.fault} Call exactly one of the functions.` },
    ];
  }
  throw new EngineFailure(ModelPlannedNothing({}));
}

function readTurn(turn: Turn, actions: Actions) {
  const [call] = turn.calls;
  if (call) return actions.read(call, turn.text);
  const { function: name, arguments: args } = objectIn(turn.text) ?? {};
  if (typeof name !== 'string') return { fault: 'That is no call of a function.' };
  return actions.read({ id: '', name, arguments: JSON.stringify(args ?? {}) }, '');
}

async function sayOnce(
  client: OpenAiClient,
  { model, options }: OpenAiPlannerConfig,
  { messages, image, actions }: Asked,
  parts: ReadonlySet<OptionalPart>,
  signal: AbortSignal,
): Promise<Turn> {
  const offersTools = parts.has('tools');
  const shown = offersTools ? messages : withFunctions(messages, actions);
  const body = {
    model,
    messages: parts.has('image') && image !== null ? withImage(shown, image) : [...shown],
    ...optionsOf(options, parts),
    ...(offersTools && { tools: actions.definitions }),
    ...(offersTools && parts.has('choice') && { tool_choice: 'required' as const }),
  };
  const charactersSent = JSON.stringify(body).length;
  const { completions } = (await client()).chat;
  return turnOf(await completions.create(body, { signal }), charactersSent);
}

/** The screenshot is sent beside the page's text, in the first message. */
function withImage(messages: readonly Message[], image: string): Message[] {
  return messages.map((message, at) => {
    if (at !== 1 || message.role !== 'user' || typeof message.content !== 'string') return message;
    const url = `data:image/png;base64,${image}`;
    const text = { type: 'text' as const, text: message.content };
    return { role: 'user', content: [text, { type: 'image_url', image_url: { url } }] };
  });
}

/** For endpoints without functions: they are part of the instructions. */
function withFunctions([system, ...rest]: readonly Message[], { definitions }: Actions): Message[] {
  const list = JSON.stringify(definitions.map((one) => one.function));
  const content =
    `${system?.content}\n\nThe functions, with the JSON schema of their arguments:\n${list}\n\n` +
    'Reply with one JSON object and nothing else: {"function": string, "arguments": object}.';
  return [{ role: 'system', content }, ...rest];
}

const reason = z.string().max(4_000).describe('One sentence: why this is the next step');
const Ref = z
  .string()
  .regex(/^(?:f\d{1,7})?e\d{1,7}$/, 'is no reference as in [ref=e12]')
  .describe('The reference of an element of the page, as e12');
const WebAddress = z
  .url({ protocol: /^https?$/, error: 'is no address that starts with http:// or https://' })
  .max(2_000);
const Sentences = z.array(z.string().trim().min(1).max(2_000)).max(20);

type Described = { description: string; parameters: z.ZodType<object>; as: BrowsingAction['type'] };

/** One function for each action of a browser; those of tools are added. */
const FUNCTIONS: Readonly<Record<string, Described>> = {
  open_page: {
    as: 'open',
    description: 'Opens a web address.',
    parameters: z.strictObject({ reason, url: WebAddress }),
  },
  click: {
    as: 'click',
    description: 'Clicks an element.',
    parameters: z.strictObject({ reason, ref: Ref }),
  },
  type_text: {
    as: 'type',
    description: 'Types into a field, instead of what is in it; submit presses Enter afterwards.',
    parameters: z.strictObject({
      reason,
      ref: Ref,
      text: z.string().max(2_000),
      submit: z.boolean(),
    }),
  },
  select_option: {
    as: 'select',
    description: 'Chooses an option of a select field by its label.',
    parameters: z.strictObject({ reason, ref: Ref, option: z.string().min(1).max(500) }),
  },
  scroll: {
    as: 'scroll',
    description: 'Scrolls by a screen.',
    parameters: z.strictObject({ reason, direction: z.enum(['up', 'down']) }),
  },
  go_back: {
    as: 'back',
    description: 'Goes back to the page before.',
    parameters: z.strictObject({ reason }),
  },
  read_page: {
    as: 'extract',
    description: 'Gives the whole text of the page, where the outline is not enough.',
    parameters: z.strictObject({ reason, about: z.string().min(1).max(500) }),
  },
  search_page: {
    as: 'search',
    description: 'Finds words on the page, and what stands around them.',
    parameters: z.strictObject({ reason, words: z.string().min(1).max(500) }),
  },
  note_finding: {
    as: 'note',
    description:
      'Keeps a finding that helps to reach the goal, with the address of the page. Only what ' +
      'stands on the page, best in its own words. Earlier pages are not shown again.',
    parameters: z.strictObject({ reason, finding: z.string().trim().min(1).max(2_000) }),
  },
  finish: {
    as: 'finish',
    description:
      'Ends the work: when the goal is reached, when it can not be reached, or with the last step.',
    parameters: z.strictObject({
      reason,
      result: z
        .enum(FINISH_RESULTS)
        .describe('uncertain: what was found does not answer the goal for certain'),
      summary: z.string().trim().min(1).max(4_000),
      keyFindings: Sentences.describe('Each with the address of the page that it comes from'),
      nextSteps: Sentences.describe('What a person could do next; what only a person can do'),
    }),
  },
};

type Parsed = { step: PlannedStep } | { fault: string };

/**
 * The actions of a request as functions, and how the model's choice is read. The last step can only
 * finish.
 */
function modelActions({ tools, stepsLeft }: PlanRequest) {
  const isLast = stepsLeft <= 1;
  const own = Object.entries(FUNCTIONS).filter(([, { as }]) => !isLast || as === 'finish');
  const offered = offeredOf(isLast ? [] : tools, (name) => name in FUNCTIONS);
  const names = [...own.map(([name]) => name), ...offered.keys()];
  return {
    hasTools: offered.size > 0,
    definitions: [
      ...own.map(([name, { description, parameters }]) => ({
        type: 'function' as const,
        function: { name, description, parameters: schemaOf(parameters) },
      })),
      ...[...offered].map(([name, one]) => definitionOf(name, one)),
    ],

    /** A step, or the fault of the call, for the model. `said` is the text beside the call. */
    read({ name, arguments: text }: AskedCall, said: string): Parsed {
      const args = argumentsOf(text);
      if (!args) return { fault: 'The arguments are no JSON object.' };
      const tool = offered.get(name);
      if (tool) {
        const { operation } = tool;
        const action = { toolId: tool.tool.id, operation: operation.name, args };
        return { step: { action: { type: 'use_tool', ...action }, reasoning: said } };
      }
      const known = names.includes(name) ? FUNCTIONS[name] : undefined;
      if (!known) return { fault: `There is no such function. There are: ${names.join(', ')}.` };
      const { data, error } = known.parameters.safeParse({ reason: said, ...args });
      if (error) return { fault: `The arguments do not fit: ${faultsOf(error)}.` };
      const { reason: reasoning, ...rest } = data as { reason: string };
      return { step: { action: { type: known.as, ...rest } as BrowsingAction, reasoning } };
    },
  };
}

function schemaOf(parameters: z.ZodType<object>): Record<string, unknown> {
  const { $schema: _, ...schema } = z.toJSONSchema(parameters);
  return schema;
}

function faultsOf({ issues }: z.ZodError): string {
  const all = issues.map(({ path, message }) => `${path.join('.') || 'they'}: ${message}`);
  return all.slice(0, 5).join('; ').slice(0, 600);
}
