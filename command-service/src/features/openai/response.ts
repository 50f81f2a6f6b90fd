import type {
  OpenAiResponse,
  ResponseInput,
} from '@tallyhand/contracts/features/openai/openai.endpoints';
import { openAiErrorOf } from '@tallyhand/contracts/kernel/openai-error';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import type { EventFormat } from '../../kit/event-stream.ts';
import { type Answered, secondsOf, shortId, taskOf, tokensOf } from './answered.ts';

type Asked = Pick<ResponseInput, 'model' | 'instructions' | 'metadata'>;
type Part = OpenAiResponse['output'][number]['content'][number];

const idOf = (taskId: string) => `resp_${shortId(taskId)}`;

/** A response that is being made. */
const begunOf = (
  id: string,
  { model, instructions, metadata }: Asked,
  created_at: number,
): OpenAiResponse => ({
  id,
  object: 'response',
  created_at,
  status: 'in_progress',
  error: null,
  incomplete_details: null,
  instructions: instructions ?? null,
  max_output_tokens: null,
  metadata: metadata ?? {},
  model,
  output: [],
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: false,
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: null,
  truncation: 'disabled',
  usage: null,
  tallyhand: null,
});

/** The response of an ended task. */
export function responseOf(answered: Answered, asked: Asked): OpenAiResponse {
  const { taskId, output: text } = answered;
  const { input, cached, output } = tokensOf(answered);
  return {
    ...begunOf(idOf(taskId), asked, secondsOf(answered.requestedAt)),
    status: 'completed',
    output: [messageOf(`msg_${shortId(taskId)}`, 'completed', [partOf(text)])],
    usage: {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + output,
    },
    tallyhand: taskOf(answered),
  };
}

const partOf = (text: string): Part => ({ type: 'output_text', text, annotations: [] });

const messageOf = (id: string, status: 'in_progress' | 'completed', content: Part[]) =>
  ({ type: 'message', id, status, role: 'assistant', content }) as const;

/** Writes a response as typed events, in the order in which OpenAI documents them. */
export function responseEventsOf(asked: Asked, now: Date): EventFormat {
  let sequence = 0;
  let begun: OpenAiResponse | null = null;

  function event(type: string, data: object): string {
    const numbered = { type, sequence_number: sequence, ...data };
    sequence += 1;
    return `event: ${type}\ndata: ${JSON.stringify(numbered)}\n\n`;
  }

  function begin(id: string): string {
    if (begun) return '';
    begun = begunOf(id, asked, secondsOf(now));
    return (
      event('response.created', { response: begun }) +
      event('response.in_progress', { response: begun })
    );
  }

  function completed(response: OpenAiResponse): string {
    const [message] = response.output;
    const [part] = message?.content ?? [];
    if (!message || !part) return '';
    const item = { output_index: 0, item_id: message.id, content_index: 0 };
    const text = { ...item, logprobs: [] };
    const unwritten = messageOf(message.id, 'in_progress', []);
    return [
      event('response.output_item.added', { output_index: 0, item: unwritten }),
      event('response.content_part.added', { ...item, part: partOf('') }),
      event('response.output_text.delta', { ...text, delta: part.text }),
      event('response.output_text.done', { ...text, text: part.text }),
      event('response.content_part.done', { ...item, part }),
      event('response.output_item.done', { output_index: 0, item: message }),
      event('response.completed', { response }),
    ].join('');
  }

  function failed(problem: Problem): string {
    const { code, message, param } = openAiErrorOf(problem).error;
    const told = event('error', { code, message, param });
    if (!begun) return told;
    const error = { code, message };
    return told + event('response.failed', { response: { ...begun, status: 'failed', error } });
  }

  return (name, data) => {
    if (name === 'started') return begin(idOf((data as { taskId: string }).taskId));
    if (name === 'failed') return failed(data as Problem);
    if (name !== 'reply') return '';
    const response = data as OpenAiResponse;
    return begin(response.id) + completed(response);
  };
}
