import {
  ModelPlannedNothing,
  ModelRefusedPlan,
} from '@tallyhand/contracts/features/tasks/work-failures';
import type OpenAI from 'openai';
import { EngineFailure } from '../engine.ts';
import {
  type Endpoint,
  inFirstWayTaken,
  inTime,
  openAiClient,
  withoutKey,
} from '../openai/client.ts';
import { asMessage, type Message } from '../openai/loop.ts';
import { objectIn } from '../openai/reply.ts';
import { type HearModelCall, toldCall } from '../openai/told-call.ts';
import { type Turn, turnOf } from '../openai/turn.ts';
import { modelActions } from './model-actions.ts';
import { planPrompt } from './model-prompt.ts';
import type { PlannedStep, Planner, PlanRequest } from './planner.ts';

export type OpenAiPlannerConfig = Endpoint & {
  model: string;
  /** For a whole step, retries and a second try included. */
  timeoutMs?: number;
  maxRetries?: number;
  hear?: HearModelCall | undefined;
};

/** What an endpoint may not know: asked for in this order until it takes the request. */
const WAYS = [
  { image: true, choice: true, tools: true },
  { image: false, choice: true, tools: true },
  { image: true, choice: false, tools: true },
  { image: false, choice: false, tools: true },
  { image: true, choice: false, tools: false },
  { image: false, choice: false, tools: false },
] as const;

type Way = (typeof WAYS)[number];
type Actions = ReturnType<typeof modelActions>;

const triesMax = 2;
const reasoningLengthMax = 4_000;
const seeing =
  /^(?:gpt-4o|gpt-4\.1|gpt-5|o\d|claude|gemini|pixtral|llava)|vision|[-_:]vl(?:[-_:\d]|$)|\dvl\b/;

/** Plans each step through any OpenAI-compatible endpoint, by calls of functions. */
export function openAiPlanner(config: OpenAiPlannerConfig): Planner {
  const { model, timeoutMs = 60_000, maxRetries = 2, hear } = config;
  const client = openAiClient(config, { timeoutMs, maxRetries });
  const unknown = { image: !seesImages(model), choice: false, tools: false };

  async function say(asked: Asked, signal: AbortSignal): Promise<Turn> {
    const ways = WAYS.filter(
      ({ image, choice, tools }) =>
        !(image && (unknown.image || !asked.image)) &&
        !(choice && unknown.choice) &&
        !(tools && unknown.tools),
    );
    const { way, result } = await inFirstWayTaken(ways, (one) =>
      sayOnce(client, model, asked, one, signal),
    );
    const [first] = ways;
    if (first?.image && !way.image) unknown.image = true;
    // Of tools an endpoint may refuse one for what it is: that says nothing of the next request.
    if (!asked.actions.hasTools && first?.choice && !way.choice) unknown.choice = true;
    if (!asked.actions.hasTools && first?.tools && !way.tools) unknown.tools = true;
    return result;
  }

  return {
    model,
    get seesImages() {
      return !unknown.image;
    },
    async next(request) {
      const asked = askedOf(request);
      const { step } = await toldCall(
        { purpose: 'plan', hear },
        () => inTime((signal) => planBy(say, asked, signal), timeoutMs, request.signal),
        ({ tokens }) => tokens,
      );
      return {
        ...step,
        reasoning: withoutKey(step.reasoning, config).slice(0, reasoningLengthMax),
      };
    },
  };
}

/** Whether a model of this name takes images; another endpoint may still refuse them. */
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
): Promise<{ step: PlannedStep; tokens: number }> {
  let { messages } = asked;
  let tokens = 0;
  for (let tries = 1; tries <= triesMax; tries += 1) {
    const turn = await say({ ...asked, messages }, signal);
    tokens += turn.tokens;
    if (turn.isRefused) {
      throw new EngineFailure(ModelRefusedPlan({}));
    }
    const read = readTurn(turn, asked.actions);
    if ('step' in read) return { step: read.step, tokens };
    // As text: a call that is not answered by its tool would be refused by most endpoints.
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
  client: OpenAI,
  model: string,
  { messages, image, actions }: Asked,
  way: Way,
  signal: AbortSignal,
): Promise<Turn> {
  const shown = way.tools ? messages : withFunctions(messages, actions);
  const body = {
    model,
    messages: way.image && image !== null ? withImage(shown, image) : [...shown],
    ...(way.tools && { tools: actions.definitions }),
    ...(way.choice && { tool_choice: 'required' as const }),
  };
  const charactersSent = JSON.stringify(body).length;
  return turnOf(await client.chat.completions.create(body, { signal }), charactersSent);
}

/** The screenshot stands beside the page's text, in the person's first message. */
function withImage(messages: readonly Message[], image: string): Message[] {
  return messages.map((message, at) => {
    if (at !== 1 || message.role !== 'user' || typeof message.content !== 'string') return message;
    const url = `data:image/png;base64,${image}`;
    const text = { type: 'text' as const, text: message.content };
    return { role: 'user', content: [text, { type: 'image_url', image_url: { url } }] };
  });
}

/** For endpoints that know no functions: they stand in the instructions. */
function withFunctions([system, ...rest]: readonly Message[], { definitions }: Actions): Message[] {
  const list = JSON.stringify(definitions.map((one) => one.function));
  const content =
    `${system?.content}\n\nThe functions, with the JSON schema of their arguments:\n${list}\n\n` +
    'Reply with one JSON object and nothing else: {"function": string, "arguments": object}.';
  return [{ role: 'system', content }, ...rest];
}
