import {
  OutOfTokens,
  OutOfTurns,
  ToolNotUsed,
} from '@tallyhand/contracts/features/tasks/work-failures';
import type OpenAI from 'openai';
import { type AnswerRequest, type AttachedImage, EngineFailure } from '../engine.ts';
import { ToolFunctions } from './functions.ts';
import type { Prompt } from './prompt.ts';
import { type Reply, replyFrom } from './reply.ts';
import type { Turn } from './turn.ts';

export type Message = OpenAI.Chat.Completions.ChatCompletionMessageParam;

export type Budget = {
  /** The model's turns for one answer. */
  turnsMax?: number;
  /** The tokens of all turns of one answer, including the prompts. */
  tokensMax?: number;
};

/** The request for one turn. */
export type Asked = {
  readonly messages: readonly Message[];
  readonly functions: ToolFunctions;
  readonly mustCall: boolean;
  readonly form: Prompt['form'];
  readonly onText: ((piece: string) => void) | undefined;
  /** How many images the messages have. */
  readonly images: number;
};

/** Alternates turns of the model and answers of tools until the model answers. */
export async function answerByTurns(
  request: AnswerRequest,
  prompt: Prompt,
  turn: (asked: Asked) => Promise<Turn>,
  { turnsMax = 8, tokensMax = 100_000 }: Budget,
): Promise<Reply> {
  const functions = new ToolFunctions(request.tools ?? [], prompt.marker);
  const { form } = prompt;
  const messages: Message[] = [
    { role: 'system', content: prompt.system },
    { role: 'user', content: withImages(prompt, request.images ?? []) },
  ];
  const said: Turn[] = [];
  const earlier = [...((request.turns?.earlier ?? []) as readonly Turn[])];
  let isReminded = false;
  let tokens = 0;
  for (let turns = 1; turns <= turnsMax; turns += 1) {
    const mustCall = request.mustUseTool === true && functions.calls === 0;
    const latest =
      earlier.shift() ??
      (await turn({
        messages,
        functions,
        mustCall,
        form,
        onText: request.onText,
        images: request.images?.length ?? 0,
      }));
    said.push(latest);
    request.turns?.note([...said]);
    tokens += latest.usage.inputTokens + latest.usage.outputTokens;
    if (tokens > tokensMax) throw new EngineFailure(OutOfTokens({}));
    if (latest.calls.length > 0 && functions.count > 0) {
      messages.push(asMessage(latest), ...(await functions.answers(latest.calls, request.signal)));
    } else if (mustCall) {
      if (isReminded) throw new EngineFailure(ToolNotUsed({}));
      messages.push(asMessage(latest), { role: 'user', content: REMINDER });
      isReminded = true;
    } else {
      return replyFrom(latest, form, prompt.passages.length);
    }
  }
  throw new EngineFailure(OutOfTurns({}));
}

/** The text, then each image after its name. */
function withImages({ user, imageNames }: Prompt, images: readonly AttachedImage[]) {
  if (images.length === 0) return user;
  return [
    { type: 'text' as const, text: user },
    ...images.flatMap(({ base64 }, at) => [
      { type: 'text' as const, text: imageNames[at] ?? '' },
      { type: 'image_url' as const, image_url: { url: `data:image/jpeg;base64,${base64}` } },
    ]),
  ];
}

const REMINDER = 'Call one of the tools now; this request is answered by a tool only.';

export function asMessage({ text, calls, thoughts }: Turn): Message {
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(calls.length > 0 && {
      ...thoughts,
      tool_calls: calls.map((one) => ({
        id: one.id,
        type: 'function' as const,
        function: { name: one.name, arguments: one.arguments || '{}' },
        ...(one.extra && { extra_content: one.extra }),
      })),
    }),
  };
}
