import type { TokenUsage } from '@tallyhand/contracts/features/models/model-usage';
import { ModelAnswerUnreadable } from '@tallyhand/contracts/features/tasks/work-failures';
import { z } from 'zod';
import { EngineFailure } from '../engine.ts';
import { failureOfAnswer } from './model-calls.ts';

/** A tool call as the model wrote it. */
export type AskedCall = {
  id: string;
  name: string;
  arguments: string;
  /** What the endpoint wants back with the call: Gemini's signatures of thoughts. */
  extra?: Record<string, unknown> | null | undefined;
};

/** Thoughts that DeepSeek and OpenRouter want back with the calls of tools, as they sent them. */
export type Thoughts = { reasoning_content?: string; reasoning_details?: unknown[] };

/** One turn of the model. */
export type Turn = {
  text: string;
  calls: AskedCall[];
  thoughts: Thoughts;
  isRefused: boolean;
  /** The endpoint cut it at its own limit. */
  isCut: boolean;
  usage: TokenUsage;
};

const charactersAToken = 4;

/** Compatible endpoints differ in everything else. */
const Call = z.object({
  id: z.string().nullish(),
  index: z.number().int().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
  extra_content: z.record(z.string(), z.unknown()).nullish().catch(null),
});
type Call = z.infer<typeof Call>;
/** Mistral's reasoning models send a list, in which thoughts and text are separate pieces. */
const Content = z
  .array(z.object({ type: z.string().nullish(), text: z.string().nullish() }))
  .transform((pieces) =>
    pieces.map(({ type, text }) => (type === 'text' ? (text ?? '') : '')).join(''),
  );
const Said = z.object({
  content: z.union([z.string(), Content]).nullish(),
  refusal: z.string().nullish(),
  reasoning_content: z.string().nullish().catch(null),
  reasoning_details: z.array(z.unknown()).nullish().catch(null),
  tool_calls: z.array(Call).nullish(),
});
/** More than any model reads or writes: a larger count is an error of the endpoint. */
const TOKENS_MAX = 1_000_000_000;
/** A number of tokens as an endpoint tells it; null if it can't be one. */
export const Count = z.number().int().nonnegative().max(TOKENS_MAX).nullish().catch(null);
const Usage = z
  .object({
    prompt_tokens: Count,
    completion_tokens: Count,
    total_tokens: Count,
    prompt_tokens_details: z.object({ cached_tokens: Count }).nullish().catch(null),
    /** DeepSeek's name for cached tokens. */
    prompt_cache_hit_tokens: Count,
  })
  .nullish()
  .catch(null);
type Usage = z.infer<typeof Usage>;
/** OpenRouter reports failures of providers inside of answers with the status 200. */
const Failed = z.object({ error: z.unknown().optional() });
const Ended = Failed.extend({ finish_reason: z.string().nullish() });
const Completion = z.object({
  choices: z.array(Ended.extend({ message: Said })).min(1),
  usage: Usage,
});
/** Groq counts streamed tokens in a field of its own. */
const Groq = z.object({ usage: Usage }).nullish().catch(null);
const Chunk = z.object({
  choices: z.array(Ended.extend({ delta: Said.nullish() })),
  usage: Usage,
  x_groq: Groq,
});

/** Reads a whole completion. Throws an `EngineFailure` for anything else. */
export function turnOf(completion: unknown, charactersSent: number): Turn {
  const { data } = Completion.safeParse(completion);
  const choice = data?.choices[0];
  if (!choice) throw failureOfAnswer(Failed.safeParse(completion).data?.error) ?? unreadable();
  throwIfFailed(choice);
  const { content, refusal, tool_calls } = choice.message;
  const calls = (tool_calls ?? []).map((one, at) => ({
    id: one.id || ownId(at),
    name: one.function?.name ?? '',
    arguments: one.function?.arguments ?? '',
    extra: one.extra_content,
  }));
  return ended(content ?? '', calls, choice.finish_reason, {
    thoughts: thoughtsOf(choice.message),
    isRefused: Boolean(refusal),
    usage: data.usage,
    charactersSent,
  });
}

/** Reads a streamed completion, and passes on each piece of its text. */
export async function turnOfStream(
  chunks: AsyncIterable<unknown>,
  charactersSent: number,
  onText: (piece: string) => void,
): Promise<Turn> {
  let [text, finish, isRefused] = ['', null as string | null, false];
  let usage: Usage;
  const calls = new StreamedCalls();
  const thoughts: Thoughts = {};
  for await (const chunk of chunks) {
    const { data } = Chunk.safeParse(chunk);
    if (!data) throw unreadable();
    usage = data.usage ?? data.x_groq?.usage ?? usage;
    const [choice] = data.choices;
    if (choice) throwIfFailed(choice);
    addThoughts(thoughts, choice?.delta);
    finish = choice?.finish_reason ?? finish;
    isRefused ||= Boolean(choice?.delta?.refusal);
    for (const [at, piece] of (choice?.delta?.tool_calls ?? []).entries()) {
      calls.add(piece, at);
    }
    const said = choice?.delta?.content ?? '';
    text += said;
    if (said !== '') onText(said);
  }
  // A connection that breaks ends the stream like a complete one, but without a reason.
  if (finish === null) throw unreadable();
  return ended(text, calls.all, finish, { thoughts, isRefused, usage, charactersSent });
}

function throwIfFailed({ error, finish_reason }: z.infer<typeof Ended>): void {
  if (finish_reason === 'error' || error) throw failureOfAnswer(error ?? {}) ?? unreadable();
}

function thoughtsOf(said: z.infer<typeof Said>): Thoughts {
  const thoughts: Thoughts = {};
  addThoughts(thoughts, said);
  return thoughts;
}

function addThoughts(thoughts: Thoughts, said: z.infer<typeof Said> | null | undefined): void {
  const { reasoning_content, reasoning_details } = said ?? {};
  if (reasoning_content) {
    thoughts.reasoning_content = (thoughts.reasoning_content ?? '') + reasoning_content;
  }
  if (reasoning_details?.length) {
    thoughts.reasoning_details = [...(thoughts.reasoning_details ?? []), ...reasoning_details];
  }
}

/** The id of a call that came without one. Mistral's models take nine letters and digits only. */
const ownId = (at: number) => `call${String(at).padStart(5, '0')}`;

/** Joins the pieces of calls. Gemini and Ollama give calls side by side the same index, or none. */
class StreamedCalls {
  readonly all: AskedCall[] = [];
  readonly #latest = new Map<number, AskedCall>();

  add(piece: Call, at: number): void {
    const index = piece.index ?? at;
    const name = piece.function?.name ?? '';
    let call = this.#latest.get(index);
    if (!call || beginsAnother(piece, call)) {
      call = { id: piece.id || ownId(this.all.length), name: '', arguments: '' };
      this.all.push(call);
      this.#latest.set(index, call);
    }
    call.id = piece.id || call.id;
    // Some endpoints repeat the name with each piece.
    if (name !== call.name) call.name += name;
    call.arguments += piece.function?.arguments ?? '';
    call.extra = piece.extra_content ?? call.extra;
  }
}

/** Pieces of one call have its id or none, and its name stands in the first of them. */
function beginsAnother({ id, function: asked }: Call, call: AskedCall): boolean {
  if (!asked?.name || call.name === '') return false;
  return id ? id !== call.id : isWhole(call.arguments);
}

function isWhole(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

function ended(
  text: string,
  calls: AskedCall[],
  finish: string | null | undefined,
  rest: { thoughts: Thoughts; isRefused: boolean; usage: Usage; charactersSent: number },
): Turn {
  const said = text.length + calls.reduce((sum, one) => sum + one.arguments.length, 0);
  return {
    text,
    calls,
    thoughts: rest.thoughts,
    isRefused: rest.isRefused || finish === 'content_filter',
    isCut: finish === 'length',
    usage: usageOf(rest.usage, rest.charactersSent, said),
  };
}

/** As counted by the endpoint, otherwise estimated from the lengths of the texts. */
function usageOf(counted: Usage, charactersSent: number, charactersSaid: number): TokenUsage {
  const input = counted?.prompt_tokens;
  const output = outputOf(counted);
  const cached = counted?.prompt_tokens_details?.cached_tokens ?? counted?.prompt_cache_hit_tokens;
  const inputTokens = input ?? tokensOf(charactersSent);
  return {
    inputTokens,
    cachedTokens: Math.min(cached ?? 0, inputTokens),
    outputTokens: output ?? tokensOf(charactersSaid),
    isEstimated: typeof input !== 'number' || typeof output !== 'number',
  };
}

/** xAI and Gemini count thoughts, which are paid for as output, in the total alone. */
function outputOf(counted: Usage): number | null | undefined {
  const { prompt_tokens, completion_tokens, total_tokens } = counted ?? {};
  if (typeof prompt_tokens !== 'number' || typeof completion_tokens !== 'number') {
    return completion_tokens;
  }
  return Math.max(completion_tokens, (total_tokens ?? 0) - prompt_tokens);
}

/** An estimate of the tokens of a text. */
export const tokensOf = (characters: number) => Math.ceil(characters / charactersAToken);

const unreadable = () => new EngineFailure(ModelAnswerUnreadable({}));
