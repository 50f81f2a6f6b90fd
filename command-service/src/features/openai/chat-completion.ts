import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionInput,
} from '@tallyhand/contracts/features/openai/openai.endpoints';
import { openAiErrorOf } from '@tallyhand/contracts/kernel/openai-error';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import type { EventFormat } from '../../kit/event-stream.ts';
import { type Answered, secondsOf, shortId, taskOf, tokensOf } from './answered.ts';

const idOf = (taskId: string) => `chatcmpl-${shortId(taskId)}`;

/** The answer of an ended task. */
export function completionOf(
  answered: Answered,
  { model, metadata }: Pick<ChatCompletionInput, 'model' | 'metadata'>,
): ChatCompletion {
  const { input, cached, output } = tokensOf(answered);
  return {
    id: idOf(answered.taskId),
    object: 'chat.completion',
    created: secondsOf(answered.requestedAt),
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: answered.output, refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: { cached_tokens: cached },
    },
    metadata: metadata ?? {},
    tallyhand: taskOf(answered),
  };
}

type Choice = ChatCompletionChunk['choices'][number];

/** Writes a completion as chunks: its role when the task begins, its text when it has ended. */
export function chunksOf({ model, stream_options }: ChatCompletionInput, now: Date): EventFormat {
  const hasUsage = stream_options?.include_usage === true;
  let head = { id: '', created: secondsOf(now), model };
  let isBegun = false;

  const chunk = (
    choices: readonly Pick<Choice, 'delta' | 'finish_reason'>[],
    more: Partial<ChatCompletionChunk> = {},
  ): ChatCompletionChunk => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: choices.map((choice) => ({ index: 0, ...choice, logprobs: null })),
    ...(hasUsage ? { usage: null } : {}),
    ...more,
  });

  function begin(id: string) {
    if (isBegun) return '';
    isBegun = true;
    head = { ...head, id };
    const delta = { role: 'assistant', content: '' } as const;
    return lineOf(chunk([{ delta, finish_reason: null }]));
  }

  return (event, data) => {
    if (event === 'started') return begin(idOf((data as { taskId: string }).taskId));
    if (event === 'failed') return lineOf(openAiErrorOf(data as Problem));
    if (event !== 'reply') return '';
    const { id, usage, choices, tallyhand } = data as ChatCompletion;
    const content = choices[0]?.message.content ?? '';
    return [
      begin(id),
      lineOf(chunk([{ delta: { content }, finish_reason: null }])),
      lineOf(chunk([{ delta: {}, finish_reason: 'stop' }], { tallyhand })),
      hasUsage ? lineOf(chunk([], { usage })) : '',
      'data: [DONE]\n\n',
    ].join('');
  };
}

const lineOf = (data: object) => `data: ${JSON.stringify(data)}\n\n`;
