import {
  type Agent,
  changeAgent,
  createAgent,
  listAgents,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { setLimit } from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  getTask,
  getTaskStats,
  listTasks,
  type Task,
  type TaskDetail,
  type TaskStats,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  type ApiClient,
  agentInput,
  agentWithArticle,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { type LocalServer, localServer } from '@tallyhand/test-kit/http-server';
import OpenAI, { APIError } from 'openai';
import type { ResponseInputItem } from 'openai/resources/responses/responses';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newKey } from '../testing/members.ts';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

/* The `openai` package, used as its documentation shows, against agents. */

let product: OwnProduct;
let model: LocalServer;
/** What the model was sent, and how it answers; by default at once. */
let prompts: string[];
let onAsked: (answer: () => void, status: (code: number) => void) => void;

let admin: ApiClient;
let agent: Agent;
let openai: OpenAI;

const QUESTION = 'Within how many days can items be returned?';
const ANSWER = 'Within 30 days of delivery.';

beforeAll(async () => {
  model = await localServer((_, response, { body: asked }) => {
    const { messages } = JSON.parse(asked);
    prompts.push(messages.at(-1).content);
    const content = JSON.stringify({ answer: ANSWER, usedPassages: [1], reasoning: 'Read it.' });
    const usage = { prompt_tokens: 70, completion_tokens: 9, total_tokens: 79 };
    const message = { role: 'assistant', content };
    const send = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    onAsked(
      () => send(200, { choices: [{ index: 0, message, finish_reason: 'stop' }], usage }),
      (status) => send(status, { error: { message: 'No.' } }),
    );
  });
  const openAiBaseUrl = `${model.origin}/v1`;
  product = await startTestProduct({
    model: { openAiApiKey: 'key-of-the-test', openAiBaseUrl, openAiModel: 'peer' },
  });
});
afterAll(async () => {
  await product[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});
beforeEach(async () => {
  prompts = [];
  onAsked = (answer) => answer();
  ({ client: admin } = await registerOrganization(product.url));
  ({ agent } = await agentWithArticle(admin));
  openai = await clientOf('AgentManager');
});

async function clientOf(role: 'AgentManager' | 'Viewer', options: object = {}) {
  const { key } = await newKey(admin, role);
  return new OpenAI({ apiKey: key, baseURL: `${product.url}/v1`, maxRetries: 0, ...options });
}

const asked = (content = QUESTION) => ({
  model: agent.id,
  messages: [{ role: 'user' as const, content }],
});

const tasks = async () => (await admin.call<Task[]>(listTasks)).body;
const creditsUsed = async () => (await admin.call<TaskStats>(getTaskStats)).body.creditsUsed;
const taskOf = async (id: string | null) =>
  (await admin.call<TaskDetail>(getTask, { params: { id: id ?? '' } })).body;

/** The error of a refused call. */
async function refused(call: Promise<unknown>): Promise<APIError> {
  const error = await call.catch((one: unknown) => one);
  if (!(error instanceof APIError)) throw new Error('The call was not refused', { cause: error });
  return error;
}

describe('GET /v1/models', () => {
  it('lists the active agents', async () => {
    const paused = await admin.call<Agent>(createAgent, {
      body: { ...agentInput, name: 'Paused' },
    });
    await admin.call(changeAgent, { params: { id: paused.body.id }, body: { isActive: false } });
    // A read waits for the changes of its own caller.
    expect(await admin.call(listAgents)).toMatchObject({ body: { length: 2 } });
    const { data } = await openai.models.list();
    const created = Math.floor(Date.parse(agent.createdAt) / 1000);
    expect(data).toMatchObject([{ id: agent.id, object: 'model', created, name: agent.name }]);
  });

  it('retrieves an agent by its id, and by its name if that is unique', async () => {
    const one = await openai.models.retrieve(agent.id);
    const byName = await openai.models.retrieve(agent.name);
    expect({ ...byName, _request_id: null }).toEqual({ ...one, _request_id: null });
    await admin.call(createAgent, { body: agentInput });
    expect(await admin.call(listAgents)).toMatchObject({ body: { length: 2 } });
    expect((await refused(openai.models.retrieve(agent.name))).status).toBe(404);
  });

  it('is refused as OpenAI refuses it without a valid key', async () => {
    const { status, code, type, headers } = await refused(
      new OpenAI({ apiKey: 'th_none', baseURL: `${product.url}/v1` }).models.list(),
    );
    expect([status, code, type]).toEqual([401, 'not-signed-in', 'authentication_error']);
    expect(headers?.get('x-request-id')).toBe(headers?.get('tallyhand-correlation-id'));
  });
});

describe('POST /v1/chat/completions', () => {
  it('answers with the text of a task, its tokens and its price', async () => {
    const metadata = { ticket: '4711' };
    // What only tunes a model, and what asks for nothing, is taken.
    const tuned = { temperature: 0.7, max_tokens: 5, user: 'ada', n: 1, tools: [], stop: null };
    const call = openai.chat.completions.create({ ...asked(), ...tuned, metadata });
    const { data, response, request_id } = await call.withResponse();
    expect(data.choices).toMatchObject([
      { index: 0, message: { role: 'assistant', content: ANSWER }, finish_reason: 'stop' },
    ]);
    expect(data.usage).toMatchObject({
      prompt_tokens: 70,
      completion_tokens: 9,
      total_tokens: 79,
    });
    expect(data).toMatchObject({ metadata, tallyhand: { credits: 1 } });
    expect(request_id).toBe(response.headers.get('tallyhand-correlation-id'));
    expect(response.headers.get('tallyhand-credits')).toBe('1');
    const task = await taskOf(response.headers.get('tallyhand-task-id'));
    expect(task).toMatchObject({ status: 'success', input: QUESTION, metadata, context: null });
    expect(task.charge?.amount).toBe(1);
    expect(await creditsUsed()).toBe(1);
  });

  it('gives the agent the conversation before the last message as data', async () => {
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      { role: 'system', content: 'The customer is called Ada.' },
      { role: 'user', content: [{ type: 'text', text: 'Do you sell kayaks?' }] },
      { role: 'assistant', content: 'Yes.' },
      { role: 'user', content: QUESTION },
    ];
    const call = openai.chat.completions.create({ model: agent.id, messages });
    const { response } = await call.withResponse();
    const before =
      'What was said before in this conversation:\n\nProgram: The customer is called Ada.\n\n' +
      'Person: Do you sell kayaks?\n\nYou: Yes.';
    expect(prompts[0]).toMatch(
      new RegExp(`<<<context \\w+>>>\n${before.replaceAll('?', '\\?')}\n<<<end context`),
    );
    const task = await taskOf(response.headers.get('tallyhand-task-id'));
    expect(task).toMatchObject({ input: QUESTION, context: before });
  });

  it('finds an agent by its name, if no other active agent has it', async () => {
    const byName = { ...asked(), model: agent.name };
    const { choices } = await openai.chat.completions.create(byName);
    expect(choices[0]?.message.content).toBe(ANSWER);
    await admin.call(createAgent, { body: agentInput });
    const { status, code } = await refused(openai.chat.completions.create(byName));
    expect([status, code]).toEqual([409, 'several-agents']);
  });

  it('streams chunks, with the usage if it is asked for', async () => {
    const stream = await openai.chat.completions.create({
      ...asked(),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect(text).toBe(ANSWER);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 79 } });
    expect(chunks.at(-2)).toMatchObject({
      choices: [{ finish_reason: 'stop' }],
      usage: null,
      tallyhand: { credits: 1 },
    });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
    // The package's own helper understands the stream, too.
    const final = await openai.chat.completions.stream(asked()).finalChatCompletion();
    expect(final.choices[0]?.message.content).toBe(ANSWER);
  });

  it('begins a stream before the answer is there', async () => {
    let answer = () => {};
    onAsked = (now) => {
      answer = now;
    };
    const call = openai.chat.completions.create({ ...asked(), stream: true });
    const { data: stream, response } = await call.withResponse();
    expect(response.headers.get('tallyhand-credits')).toBe('1');
    await expect.poll(() => prompts.length).toBe(1);
    answer();
    const texts = [];
    for await (const chunk of stream) texts.push(chunk.choices[0]?.delta.content ?? '');
    expect(texts.join('')).toBe(ANSWER);
  });

  it('fails as OpenAI does when the task fails, and costs nothing', async () => {
    onAsked = (_, fail) => fail(401);
    const error = await refused(openai.chat.completions.create(asked()));
    expect([error.status, error.code, error.type]).toEqual([500, 'task-failed', 'server_error']);
    expect(error.message).toContain("The model's endpoint rejected the API key");
    expect(error.headers?.get('tallyhand-credits')).toBe('0');
    expect(error.headers?.get('x-should-retry')).toBe('false');
    const stream = await openai.chat.completions.create({ ...asked(), stream: true });
    const broken = await refused(stream.toReadableStream().pipeTo(new WritableStream()));
    expect(broken.code).toBe('task-failed');
    expect(await creditsUsed()).toBe(0);
  });

  it('answers a key again without another charge', async () => {
    const options = { headers: { 'idempotency-key': 'question-1' } };
    const first = await openai.chat.completions.create(asked(), options);
    const again = openai.chat.completions.create(asked(), options);
    const { data, response } = await again.withResponse();
    expect(data).toEqual(first);
    expect(response.headers.get('idempotent-replayed')).toBe('true');
    expect(response.headers.get('tallyhand-credits')).toBe('1');
    expect(await tasks()).toHaveLength(1);
    const other = await refused(openai.chat.completions.create(asked('Hello'), options));
    expect([other.status, other.code]).toEqual([409, 'idempotency-key-reused']);
  });

  it('cancels the task when the caller leaves, and not when a key names the call', async () => {
    const answers: (() => void)[] = [];
    onAsked = (answer) => answers.push(answer);
    const leaving = new AbortController();
    const { signal } = leaving;
    const headers = { 'idempotency-key': 'kept' };
    const calls = [
      openai.chat.completions.create(asked('Left'), { signal }),
      openai.chat.completions.create(asked('Kept'), { signal, headers }),
    ];
    await expect.poll(() => answers.length).toBe(2);
    leaving.abort();
    await Promise.allSettled(calls);
    const statusOf = async (input: string) =>
      (await tasks()).find((task) => task.input === input)?.status;
    await expect.poll(() => statusOf('Left')).toBe('cancelled');
    for (const answer of answers) answer();
    const kept = await openai.chat.completions.create(asked('Kept'), { headers });
    expect(kept.choices[0]?.message.content).toBe(ANSWER);
    expect(await statusOf('Kept')).toBe('success');
    await expect.poll(creditsUsed).toBe(1);
  });

  it('cancels the task when the reader of a stream leaves', async () => {
    onAsked = () => {};
    const stream = await openai.chat.completions.create({ ...asked(), stream: true });
    await expect.poll(() => prompts.length).toBe(1);
    stream.controller.abort();
    await expect.poll(async () => (await tasks())[0]?.status).toBe('cancelled');
    expect(await creditsUsed()).toBe(0);
  });
});

describe('POST /v1/responses', () => {
  it('answers with the text of a task, its tokens and its price', async () => {
    const metadata = { ticket: '4711' };
    const instructions = 'The customer is called Ada.';
    const body = { model: agent.id, input: QUESTION, instructions, metadata };
    const { data, response } = await openai.responses.create(body).withResponse();
    expect(data.output_text).toBe(ANSWER);
    expect(data).toMatchObject({ status: 'completed', instructions, metadata });
    expect(data.usage).toMatchObject({ input_tokens: 70, output_tokens: 9, total_tokens: 79 });
    expect(response.headers.get('tallyhand-credits')).toBe('1');
    const task = await taskOf(response.headers.get('tallyhand-task-id'));
    expect(task).toMatchObject({ status: 'success', input: QUESTION, metadata });
    expect(task.context).toContain('Program: The customer is called Ada.');
    // The output of one call is the context of the next.
    const next = await openai.responses.create({
      model: agent.id,
      input: [
        { role: 'user', content: QUESTION },
        ...(data.output as ResponseInputItem[]),
        { role: 'user', content: 'Sure?' },
      ],
    });
    expect(next.output_text).toBe(ANSWER);
    expect(prompts.at(-1)).toContain(`Person: ${QUESTION}\n\nYou: ${ANSWER}`);
    const kept = { model: agent.id, input: QUESTION, previous_response_id: data.id };
    expect((await refused(openai.responses.create(kept))).param).toBe('previous_response_id');
  });

  it('streams the documented events', async () => {
    const input = [{ role: 'user' as const, content: QUESTION }];
    const stream = openai.responses.stream({ model: agent.id, input });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types.at(0)).toBe('response.created');
    expect(types.at(-1)).toBe('response.completed');
    expect((await stream.finalResponse()).output_text).toBe(ANSWER);
  });

  it('ends a stream with the error of a failed task', async () => {
    onAsked = (_, fail) => fail(401);
    const body = { model: agent.id, input: QUESTION, stream: true as const };
    const stream = await openai.responses.create(body);
    const types: string[] = [];
    const reading = async () => {
      for await (const event of stream) types.push(event.type);
    };
    expect((await refused(reading())).code).toBe('task-failed');
    expect(types).toEqual(['response.created', 'response.in_progress']);
    expect(await creditsUsed()).toBe(0);
  });
});

describe('a call of the openai package', () => {
  it('is refused with 403 by the key of a Viewer', async () => {
    const viewer = await clientOf('Viewer');
    expect((await viewer.models.list()).data).toHaveLength(1);
    const { status, code, type } = await refused(viewer.chat.completions.create(asked()));
    expect([status, code, type]).toEqual([403, 'key-reads-only', 'permission_error']);
  });

  it('is refused with 402 without credits, and not repeated', async () => {
    const limit = { kind: 'agent', id: agent.id, monthlyCredits: 0 };
    await admin.call(setLimit, { body: limit });
    const patient = await clientOf('AgentManager', { maxRetries: 2 });
    const error = await refused(patient.chat.completions.create(asked()));
    const { status, code, type, headers } = error;
    expect([status, code, type]).toEqual([402, 'spend-limit-reached', 'insufficient_quota']);
    expect(headers?.get('x-should-retry')).toBe('false');
    expect(await tasks()).toHaveLength(0);
  });

  it('finds no agent of another organization, by id or name', async () => {
    const foreign = await registerOrganization(product.url);
    const other = await agentWithArticle(foreign.client);
    await foreign.client.call(changeAgent, {
      params: { id: other.agent.id },
      body: { name: 'Elsewhere' },
    });
    for (const name of [other.agent.id, 'Elsewhere', 'gpt-4o']) {
      const call = openai.chat.completions.create({ ...asked(), model: name });
      const { status, code, type } = await refused(call);
      expect([status, code, type]).toEqual([404, 'not-found', 'invalid_request_error']);
    }
  });

  it('is refused with 400 that names the parameter that would change the answer', async () => {
    const changing = {
      tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
      n: 2,
      logprobs: true,
      response_format: { type: 'json_object' },
      stop: ['\n'],
      audio: { voice: 'alloy', format: 'mp3' },
      max_output_tokens: 10,
    };
    for (const [param, value] of Object.entries(changing)) {
      const body = { ...asked(), [param]: value } as ReturnType<typeof asked>;
      const error = await refused(openai.chat.completions.create(body));
      expect(error).toMatchObject({ status: 400, code: 'validation-failed', param });
    }
    expect(await tasks()).toHaveLength(0);
  });

  it('names the message and the part that is no text', async () => {
    const image = { type: 'image_url' as const, image_url: { url: 'https://example.com/a.png' } };
    const messages = [
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'Look' }, image] },
    ];
    const error = await refused(openai.chat.completions.create({ ...asked(), messages }));
    expect(error).toMatchObject({ status: 400, param: 'messages[0].content[1].type' });
    expect(error.message).toContain('images, audio and files are not supported');
  });
});
