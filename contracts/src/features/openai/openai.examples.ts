export const modelExample = {
  id: '0193a1b2-0000-7000-8000-000000000001',
  object: 'model',
  created: 1_801_387_800,
  owned_by: 'tallyhand',
  name: 'Support',
  description: 'Answers questions about orders and returns.',
} as const;

const task = {
  task_id: '0193a1b2-0000-7000-8000-000000000002',
  credits: 1,
  sources: [
    {
      articleId: '0193a1b2-0000-7000-8000-000000000003',
      articleVersion: 1,
      articleTitle: 'Returns',
      ordinal: 0,
      quote: 'Items can be returned within 30 days of delivery.',
    },
  ],
} as const;

export const openAiResponseExample = {
  id: 'resp_0193a1b2000070008000000000000002',
  object: 'response',
  created_at: 1_801_387_800,
  status: 'completed',
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  metadata: { ticket: '4711' },
  model: modelExample.id,
  output: [
    {
      type: 'message',
      id: 'msg_0193a1b2000070008000000000000002',
      status: 'completed',
      role: 'assistant',
      content: [
        {
          type: 'output_text',
          text: 'Items can be returned within 30 days of delivery.',
          annotations: [],
        },
      ],
    },
  ],
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
  usage: {
    input_tokens: 812,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 24,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 836,
  },
  tallyhand: task,
} as const;

export const chatCompletionExample = {
  id: 'chatcmpl-0193a1b2000070008000000000000002',
  object: 'chat.completion',
  created: 1_801_387_800,
  model: modelExample.id,
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: 'Items can be returned within 30 days of delivery.',
        refusal: null,
        annotations: [],
      },
      logprobs: null,
      finish_reason: 'stop',
    },
  ],
  usage: {
    prompt_tokens: 812,
    completion_tokens: 24,
    total_tokens: 836,
    prompt_tokens_details: { cached_tokens: 0 },
  },
  metadata: { ticket: '4711' },
  tallyhand: task,
} as const;
