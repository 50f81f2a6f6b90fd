import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import {
  completion,
  openAiPeer,
  type Peer,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { chatWithAgent } from '@tallyhand/contracts/features/chat/chat.endpoints';
import { importArticle } from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import {
  executeTask,
  getTask,
  type TaskDetail,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import {
  createTool,
  type Tool,
  type ToolTestResult,
  testTool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import {
  createWebhook,
  testWebhook,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiClient,
  agentWithArticle,
  cookieOf,
  registerOrganization,
  toolInput,
} from '@tallyhand/test-kit/api-client';
import { type HttpServer, httpServer } from '@tallyhand/test-kit/http-server';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';
import { startReceiver } from '../testing/receiver.ts';

type Answer = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: { readonly code?: string };
};
type Party = { readonly client: ApiClient; readonly agentId: string };

/** What the flood waits for: none of it ends before the test releases it. */
const held: (() => void)[] = [];
let isHeld = true;
const hold = (go: () => void) => (isHeld ? void held.push(go) : go());
function release(): void {
  isHeld = false;
  for (const go of held.splice(0)) go();
}

let site: HttpServer;
let peer: Peer;
let product: OwnProduct;
let address = '';
let [flooder, other] = [] as unknown as [Party, Party];

beforeAll(async () => {
  site = await httpServer(({ url }, response) => {
    const answer = () => response.end('The shop is open from 9 to 5.');
    response.setHeader('content-type', 'text/plain');
    if (url === '/slow') hold(answer);
    else answer();
  });
  address = site.origin;
  peer = await openAiPeer((response, { body }) => {
    const said = completion({ answer: 'Yes.', usedPassages: [], reasoning: 'None.' });
    const answer = () => sendJson(response, 200, said);
    if (JSON.stringify(body.messages).includes('flood')) hold(answer);
    else answer();
  });
  const model = { openAiApiKey: 'sk-test-0123456789', openAiBaseUrl: peer.baseURL };
  product = await startTestProduct({ allowPrivateHosts: '127.0.0.1', model });
  [flooder, other] = [await party(), await party()];
});
beforeEach(() => {
  isHeld = true;
});
afterEach(release);
afterAll(async () => {
  await product?.[Symbol.asyncDispose]();
  await peer?.[Symbol.asyncDispose]();
  await site?.[Symbol.asyncDispose]();
});

async function party(): Promise<Party> {
  const { client } = await registerOrganization(product.url);
  const { agent } = await agentWithArticle(client);
  return { client, agentId: agent.id };
}

/** Calls again, as clients do, where the server was busy with something other than the queue. */
async function notBusy(call: () => Promise<Answer>): Promise<Answer> {
  const answer = await call();
  const isQueueFull = answer.body.code?.endsWith('-queue-full');
  return answer.status === 503 && !isQueueFull ? notBusy(call) : answer;
}

/**
 * One organization calls until so many were refused, and the other one calls once: it is answered
 * while no call of the first is. Returns the answers.
 */
async function whileFlooded(
  counts: { readonly running: number; readonly waiting: number; readonly refused: number },
  flood: () => Promise<Answer>,
  call: () => Promise<Answer>,
): Promise<{ readonly refused: Answer[]; readonly other: Answer }> {
  const [refused, ended]: [Answer[], Answer[]] = [[], []];
  const flooding = async () => {
    const answer = await notBusy(flood);
    if ([429, 503].includes(answer.status)) refused.push(answer);
    else ended.push(answer);
  };
  const times = (length: number) => Array.from({ length }, flooding);
  const running = times(counts.running);
  await expect.poll(() => held.length).toBe(counts.running);
  const others = times(counts.waiting + counts.refused);
  await expect.poll(() => refused.length).toBe(counts.refused);
  const answered = await call();
  expect(ended).toHaveLength(0);
  release();
  await Promise.all([...running, ...others]);
  expect([ended.length, refused.length]).toEqual([counts.running + counts.waiting, counts.refused]);
  return { refused, other: answered };
}

const script = async ({ client }: Party, text: string) => {
  const config = { baseUrl: '', authType: 'none', extras: { script: text } };
  const own = { type: 'custom', config, authCredentials: {} };
  return (await client.call<Tool>(createTool, { body: { ...toolInput, ...own } })).body.id;
};
const run = ({ client }: Party, id: string) =>
  client.call<ToolTestResult & Problem>(testTool, { params: { id }, body: { input: '' } });

/** The status that answers a file of which only the beginning was sent. */
async function unfinishedUpload({ client }: Party): Promise<number | undefined> {
  const upload = request(`${product.url}${importArticle.path}`, {
    method: 'POST',
    headers: {
      cookie: cookieOf(client),
      'content-type': 'multipart/form-data; boundary=XX',
      'content-length': 9_000_000,
    },
  });
  upload.on('error', () => {});
  upload.write('--XX\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\n# A');
  const [answer] = await once(upload, 'response');
  upload.destroy();
  return answer.statusCode;
}

describe('while one organization floods a shared queue, another one is served', () => {
  it('by scripts that wait for an answer', async () => {
    const slow = await script(flooder, `return (await fetch('${address}/slow')).status;`);
    const quick = await script(other, 'return 1;');
    const answers = await whileFlooded(
      { running: 4, waiting: 64, refused: 4 },
      () => run(flooder, slow),
      () => run(other, quick),
    );
    expect(answers.other.body).toMatchObject({ success: true, output: '1' });
    const [refused] = answers.refused;
    expect(refused).toMatchObject({ status: 429, body: { code: 'organization-queue-full' } });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('by imports', async () => {
    const importing = ({ client }: Party, path: string) =>
      client.call(importArticle, { body: { url: `${address}${path}` } }) as Promise<Answer>;
    const answers = await whileFlooded(
      { running: 6, waiting: 16, refused: 4 },
      () => importing(flooder, '/slow'),
      async () => {
        // A file is refused before it is received: this one never comes.
        expect(await unfinishedUpload(flooder)).toBe(429);
        return importing(other, '/quick');
      },
    );
    expect(answers.other.status).toBe(201);
  });

  it('by replies in chats', async () => {
    const say = ({ client, agentId }: Party, message: string) =>
      client.call(chatWithAgent, {
        params: { id: agentId },
        body: { message },
      }) as Promise<Answer>;
    const answers = await whileFlooded(
      { running: 16, waiting: 32, refused: 4 },
      () => say(flooder, 'a flood of questions'),
      () => say(other, 'Is it open?'),
    );
    expect(answers.other).toMatchObject({ status: 200, body: { response: 'Yes.' } });
  });

  it('callers who leave give up their place in the queue', async () => {
    const { client, agentId } = flooder;
    const waiting = async () => {
      const line = /tallyhand_shared_queue_work\{queue="chat",state="waiting"\} (\d+)/;
      return Number(line.exec(await product.metrics())?.[1]);
    };
    const leaving = new AbortController();
    const chat = `${product.url}${pathOf(chatWithAgent, { id: agentId })}`;
    const cookie = cookieOf(client);
    const say = (signal: AbortSignal | null) =>
      fetch(chat, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json', 'idempotency-key': randomUUID() },
        body: JSON.stringify({ message: 'a flood of questions' }),
        signal,
      });
    const written = Array.from({ length: 16 }, () => say(null));
    await expect.poll(() => held.length).toBe(16);
    const left = Array.from({ length: 5 }, () => say(leaving.signal));
    await expect.poll(waiting).toBe(5);
    leaving.abort();
    await Promise.allSettled(left);
    await expect.poll(waiting).toBe(0);
    release();
    for (const answer of await Promise.all(written)) expect(answer.status).toBe(200);
  });

  it('by tasks', async () => {
    const ask = async ({ client, agentId }: Party, input: string) => {
      const params = { id: agentId };
      const headers = { prefer: 'respond-async' };
      return client.call<{ taskId: string }>(executeTask, { params, body: { input }, headers });
    };
    const flood = await Promise.all(
      Array.from({ length: 24 }, () => ask(flooder, 'a flood of tasks')),
    );
    expect(flood.every(({ status }) => status === 202)).toBe(true);
    await expect.poll(() => held.length).toBe(16);
    const asked = await ask(other, 'Is it open?');
    const state = async ({ client }: Party, id: string) =>
      (await client.call<TaskDetail>(getTask, { params: { id } })).body.status;
    await expect.poll(() => state(other, asked.body.taskId)).toBe('success');
    expect(held).toHaveLength(16);
    release();
    for (const { body } of flood) {
      await expect.poll(() => state(flooder, body.taskId)).toBe('success');
    }
  });

  it('by deliveries to webhooks that never answer', async () => {
    await using hanging = await startReceiver(() => {});
    await using quick = await startReceiver();
    const webhook = async ({ client }: Party, url: string) => {
      const body = { url, events: ['AgentDeleted'] };
      return (await client.call<{ id: string }>(createWebhook, { body })).body.id;
    };
    const test = ({ client }: Party, id: string) => client.call(testWebhook, { params: { id } });
    for (let index = 0; index < 12; index += 1) {
      const id = await webhook(flooder, hanging.url);
      await Promise.all([test(flooder, id), test(flooder, id)]);
    }
    await expect.poll(() => hanging.received.length).toBeGreaterThanOrEqual(6);
    await test(other, await webhook(other, quick.url));
    await expect.poll(() => quick.received.length).toBe(1);
  });
});
