import {
  completion,
  openAiPeer,
  type Peer,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import {
  changeAgent,
  createAgent,
  deleteAgent,
  restoreAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { revokeApiKey } from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import {
  type Attachment,
  type AttachmentText,
  deleteAttachment,
  getAttachmentImage,
  getAttachmentText,
  uploadAttachment,
} from '@tallyhand/contracts/features/attachments/attachments.endpoints';
import {
  type ChatReply,
  type ConversationDetail,
  chatWithAgent,
  deleteConversation,
  getConversation,
  regenerateReply,
} from '@tallyhand/contracts/features/chat/chat.endpoints';
import { erasePerson } from '@tallyhand/contracts/features/identity/account.endpoints';
import { testConnection } from '@tallyhand/contracts/features/models/models.endpoints';
import {
  type ExecutionResult,
  executeTask,
  getTask,
  retryTask,
  type TaskDetail,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { type Endpoint, pathOf } from '@tallyhand/contracts/kernel/endpoint';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { inTenant, openPool } from '@tallyhand/service-kit/postgres/pool';
import {
  type ApiClient,
  agentInput,
  cookieOf,
  keyClient,
  registerOrganization,
  testPassword,
} from '@tallyhand/test-kit/api-client';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newConnection } from '../testing/connections.ts';
import { joinAs, newKey } from '../testing/members.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

/** A small PNG. */
const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEUlEQVQI12MwTjuDFTEMLQkAuYZZQQPYCNYAAAAASUVORK5CYII=',
  'base64',
);
const OFFER = '# Offer\n\nThe tent is delivered within nine days.';

type Part = { readonly type: string; readonly image_url?: { readonly url: string } };

let product: TestProduct;
let pool: pg.Pool;
let peer: Peer;
let organizationId: string;
let admin: ApiClient;
let other: ApiClient;
let foreign: ApiClient;
/** Agents by their models. */
const agents = { offline: '', seeing: '', blind: '' };

beforeAll(async () => {
  product = await sharedProduct();
  pool = openPool(product.config.databaseUrl, 1);
  const registered = await registerOrganization(product.url);
  admin = registered.client;
  organizationId = registered.user.organization.id;
  other = (await joinAs(admin, product.url, 'Viewer')).client;
  foreign = (await registerOrganization(product.url)).client;
  peer = await openAiPeer((response, { body }) =>
    JSON.stringify(body.messages).includes('fail, please')
      ? sendJson(response, 500, {}, { 'retry-after-ms': '1' })
      : body.model === 'blind' && JSON.stringify(body).includes('image_url')
        ? sendJson(response, 400, {})
        : sendJson(response, 200, completion({ answer: 'A dot.', usedPassages: [1] })),
  );
  const connection = await newConnection(admin, {
    baseUrl: peer.baseURL,
    models: ['seeing', 'blind'],
  });
  const agentWith = async (model: object | null) =>
    (await admin.call<{ id: string }>(createAgent, { body: { ...agentInput, model } })).body.id;
  // The test finds that a model takes no images.
  const tested = { params: { id: connection.id }, body: { model: 'blind' } };
  expect((await admin.call(testConnection, tested)).status).toBe(200);
  agents.offline = await agentWith(null);
  agents.seeing = await agentWith({ connectionId: connection.id, model: 'seeing' });
  agents.blind = await agentWith({ connectionId: connection.id, model: 'blind' });
});
afterAll(async () => {
  await pool?.end();
  await peer?.[Symbol.asyncDispose]();
});

async function upload(name: string, content: string | Buffer, by = admin) {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(Buffer.from(content))]), name);
  const response = await fetch(`${product.url}${pathOf(uploadAttachment)}`, {
    method: 'POST',
    body: form,
    headers: { cookie: cookieOf(by) },
  });
  return { status: response.status, body: (await response.json()) as Attachment & Problem };
}
const image = async (by = admin) => (await upload('dot.png', DOT, by)).body.id;
const offer = async (by = admin) => (await upload('offer.md', OFFER, by)).body.id;

const chat = (agentId: string, body: object, by = admin, headers = {}) =>
  by.call<ChatReply & Problem>(chatWithAgent, { params: { id: agentId }, body, headers });
const execute = (agentId: string, body: object, by = admin) =>
  by.call<ExecutionResult & Problem>(executeTask, { params: { id: agentId }, body });
const get = <T = unknown>(endpoint: Endpoint, id: string, by = admin) =>
  by.call<T>(endpoint, { params: { id } });

const imagesIn = (received: Peer['received'][number] | undefined) => {
  const content = received?.body.messages[1]?.content as unknown as readonly Part[] | string;
  return typeof content === 'string' || !content
    ? []
    : content.flatMap(({ image_url }) => image_url?.url ?? []);
};

describe('a file that is uploaded', () => {
  it('is an image or a document, by its content', async () => {
    const first = await upload('photo.jpeg', DOT);
    expect(first).toMatchObject({ status: 201, body: { name: 'photo.jpeg', kind: 'image' } });
    const second = await upload('../../offer.md', OFFER);
    expect(second).toMatchObject({ status: 201, body: { name: 'offer.md', kind: 'document' } });
    const { body } = await get<AttachmentText>(getAttachmentText, second.body.id);
    expect(body).toMatchObject({ name: 'offer.md', text: expect.stringContaining('nine days') });
  });

  it('may be sent as JSON', async () => {
    const body = uploadAttachment.example;
    const answer = await admin.call<Attachment>(uploadAttachment, { body });
    expect(answer).toMatchObject({ status: 201, body: { name: 'returns.md', kind: 'document' } });
    const empty = await admin.call<Problem>(uploadAttachment, { body: {} });
    expect(empty.body.errors?.map(({ path }) => path)).toEqual(['name', 'content']);
  });

  it.each([
    ['picture.png', '<svg xmlns="http://www.w3.org/2000/svg"><script>x()</script></svg>'],
    ['picture.png', '<!doctype html><script>x()</script><p>Hello</p>'],
    ['picture.gif', 'GIF89a\x01\x00\x01\x00'],
    ['picture.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['program.exe', 'MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff'],
  ])('is refused as another kind than it claims to be: %s', async (name, content) => {
    const { status, body } = await upload(name, Buffer.from(content, 'latin1'));
    expect([status, body.code]).toEqual([422, 'attachment-refused']);
    expect(body.errors?.[0]?.path).toBe('file');
  });

  it('is refused when it is too large', async () => {
    const { status, body } = await upload('long.txt', Buffer.alloc(10_000_001, 'a'));
    expect([status, body.code]).toEqual([422, 'attachment-refused']);
  });

  it('is served without being run, to its owner alone', async () => {
    const id = await image();
    const { status, headers } = await admin.send('GET', pathOf(getAttachmentImage, { id }));
    expect([status, headers.get('content-type')]).toEqual([200, 'image/jpeg']);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain('sandbox');
    expect(headers.get('cache-control')).toMatch(/^private\b/);
    for (const by of [other, foreign]) {
      expect((await get(getAttachmentImage, id, by)).status).toBe(404);
      expect((await get(getAttachmentText, await offer(), by)).status).toBe(404);
      expect((await get(deleteAttachment, id, by)).status).toBe(404);
    }
  });

  it('can be deleted before it is sent', async () => {
    const id = await offer();
    expect((await get(deleteAttachment, id)).status).toBe(204);
    expect((await get(getAttachmentText, id)).status).toBe(404);
    const { status, body } = await chat(agents.offline, { message: 'Hello', attachments: [id] });
    expect([status, body.errors?.[0]?.path]).toEqual([422, 'attachments.0']);
  });

  it('is deleted after a day without being sent', async () => {
    const [old, sent] = [await offer(), await offer()];
    await chat(agents.offline, { message: 'Hello', attachments: [sent] });
    const age = `update operational.attachments set uploaded_at = now() - interval '25 hours'
      where attachment_id = any($1)`;
    await inTenant(pool, organizationId, (client) => client.query(age, [[old, sent]]));
    await pool.query('select operational.forget_unsent_attachments()');
    expect((await get(getAttachmentText, old)).status).toBe(404);
    expect((await get(getAttachmentText, sent)).status).toBe(200);
  });
});

describe('a message with files', () => {
  it('is answered from its documents, which are named as sources', async () => {
    const attachments = [await offer()];
    const message = 'Within how many days is the tent delivered?';
    const { status, body } = await chat(agents.offline, { message, attachments });
    expect([status, body.response]).toEqual([200, expect.stringContaining('nine days')]);
    expect(body.sources[0]).toMatchObject({ articleTitle: 'offer.md', isAttachment: true });
    const read = () => get<ConversationDetail>(getConversation, body.conversationId);
    const [asked, reply] = (await read()).body.messages;
    expect(asked?.attachments).toMatchObject([{ id: attachments[0], name: 'offer.md' }]);
    expect(reply?.attachments).toEqual([]);
    // The document belongs to the conversation: later messages can be about it.
    const { conversationId } = body;
    const later = await chat(agents.offline, { message, conversationId });
    expect(later.body.response).toContain('nine days');
  });

  it('shows its images to the model, also for later messages and another reply', async () => {
    const attachments = [await image(), await offer()];
    const { body } = await chat(agents.seeing, { message: 'What is this?', attachments });
    expect(body.response).toBe('A dot.');
    const [url] = imagesIn(peer.received.at(-1));
    expect(url).toMatch(/^data:image\/jpeg;base64,\/9j\//);
    expect(JSON.stringify(peer.received.at(-1)?.body)).toContain('Attached document: offer.md');
    const { conversationId } = body;
    await chat(agents.seeing, { message: 'Which color?', conversationId });
    expect(imagesIn(peer.received.at(-1))).toEqual([url]);
    expect((await get(regenerateReply, conversationId)).status).toBe(200);
    expect(imagesIn(peer.received.at(-1))).toEqual([url]);
    // An agent whose model takes no images any more answers without those of earlier messages.
    await admin.call(changeAgent, { params: { id: agents.seeing }, body: { model: null } });
    const last = await chat(agents.seeing, { message: 'And now?', conversationId });
    expect(last.status).toBe(200);
  });

  it.each(['offline', 'blind'] as const)(
    'is refused before it is sent when the model takes no images: %s',
    async (kind) => {
      const attachments = [await image()];
      const before = peer.received.length;
      const { status, body } = await chat(agents[kind], { message: 'What is this?', attachments });
      expect([status, body.code]).toEqual([422, 'model-takes-no-images']);
      expect(body.errors?.[0]?.path).toBe('attachments');
      expect(peer.received.length).toBe(before);
      // The file can be sent with another message.
      expect((await get(deleteAttachment, attachments[0] ?? '')).status).toBe(204);
    },
  );

  it('sends each file once, and a repeated call sends it again', async () => {
    const attachments = [await offer()];
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const sent = { message: 'Hello', attachments };
    const first = await chat(agents.offline, sent, admin, headers);
    expect((await chat(agents.offline, sent, admin, headers)).body).toEqual(first.body);
    const again = await chat(agents.offline, sent);
    expect([again.status, again.body.errors?.[0]?.path]).toEqual([422, 'attachments.0']);
    expect((await execute(agents.offline, { input: 'Hello', attachments })).status).toBe(422);
    expect((await get(deleteAttachment, attachments[0] ?? '')).status).toBe(404);
  });

  it('takes no file of another member or organization, none twice, and 20 at most', async () => {
    const send = (attachments: readonly string[]) =>
      chat(agents.offline, { message: 'Hello', attachments });
    for (const by of [other, foreign]) expect((await send([await offer(by)])).status).toBe(422);
    const own = await offer();
    const twice = await send([own, own]);
    expect([twice.status, twice.body.errors?.[0]?.path]).toEqual([422, 'attachments']);
    const ids = Array.from({ length: 21 }, () => crypto.randomUUID());
    expect((await send(ids)).body.errors?.[0]?.path).toBe('attachments');
    expect((await send(ids.slice(1))).body.errors).toHaveLength(20);
  });

  it('is read by its member alone, and its files go with the conversation', async () => {
    const attachments = [await offer(), await image()];
    const body = { message: 'Hello', attachments: attachments.slice(0, 1) };
    const { conversationId } = (await chat(agents.offline, body)).body;
    const [id = ''] = attachments;
    for (const by of [other, foreign]) {
      expect((await get(getAttachmentText, id, by)).status).toBe(404);
    }
    expect((await get(getAttachmentText, id)).status).toBe(200);
    expect((await get(deleteConversation, conversationId)).status).toBe(204);
    expect((await get(getAttachmentText, id)).status).toBe(404);
  });

  it('has its file names and bytes in no event', async () => {
    const mark = `quokka-${crypto.randomUUID()}`;
    const attachments = [(await upload(`${mark}.md`, `# A title\n\n${mark}`)).body.id];
    const { body } = await chat(agents.offline, { message: 'Hello', attachments });
    const log = openEventLog(product.config.eventStoreUrl);
    // What came before has no such text.
    const newest = { direction: 'backwards', fromPosition: 'end', maxCount: 500 } as const;
    const streams = new Set<string>();
    for await (const { event } of log.client.readAll(newest)) {
      expect(JSON.stringify(event?.data ?? {})).not.toContain(mark);
      if (event) streams.add(event.streamId);
    }
    expect(streams).toContain(`conversation-${body.conversationId}`);
    await log.close();
  });

  /** Those of these files that are still stored. */
  const stored = async (...ids: string[]) => {
    const sql = `select attachment_id as id from operational.attachments
      where attachment_id = any($1)`;
    const { rows } = await inTenant(pool, organizationId, (connected) =>
      connected.query<{ id: string }>(sql, [ids]),
    );
    return rows.map(({ id }) => id).toSorted();
  };

  it('loses its files when its member is erased; those of tasks stay', async () => {
    const { client } = await joinAs(admin, product.url, 'Editor');
    const [unsent, sent, ofTask] = [await offer(client), await offer(client), await offer(client)];
    await chat(agents.offline, { message: 'Hello', attachments: [sent] }, client);
    await execute(agents.offline, { input: 'Hello', attachments: [ofTask] }, client);
    await client.call(erasePerson, { body: { password: testPassword } });
    await expect.poll(() => stored(unsent, sent, ofTask)).toEqual([ofTask]);
  });

  it('loses its files when its API key is revoked; those of tasks stay', async () => {
    const made = await newKey(admin, 'Editor');
    const client = keyClient(product.url, made.key);
    const body = { name: 'offer.md', content: Buffer.from(OFFER).toString('base64') };
    const send = async () => (await client.call<Attachment>(uploadAttachment, { body })).body.id;
    const [unsent, sent, ofTask] = [await send(), await send(), await send()];
    await chat(agents.offline, { message: 'Hello', attachments: [sent] }, client);
    await execute(agents.offline, { input: 'Hello', attachments: [ofTask] }, client);
    expect(await stored(unsent, sent, ofTask)).toEqual([unsent, sent, ofTask].toSorted());
    expect((await get(revokeApiKey, made.id)).status).toBe(204);
    await expect.poll(() => stored(unsent, sent, ofTask)).toEqual([ofTask]);
  });

  it('keeps its files while its agent is deleted, and has them when it is restored', async () => {
    const { body: agent } = await admin.call<{ id: string }>(createAgent, { body: agentInput });
    const [sent, ofTask] = [await offer(), await offer()];
    const { body } = await chat(agent.id, { message: 'Hello', attachments: [sent] });
    await execute(agent.id, { input: 'Hello', attachments: [ofTask] });
    expect((await get(deleteAgent, agent.id)).status).toBe(204);
    expect((await get(getAttachmentText, ofTask)).status).toBe(200);
    await admin.call(restoreAgent, { params: { id: agent.id }, body: {} });
    expect((await get(getAttachmentText, sent)).status).toBe(200);
    expect((await get(deleteConversation, body.conversationId)).status).toBe(204);
    expect(await stored(sent, ofTask)).toEqual([ofTask]);
  });
});

describe('a task with files', () => {
  it('is answered from its documents, and keeps them for all members', async () => {
    const attachments = [await offer()];
    const input = 'Within how many days is the tent delivered?';
    const { body } = await execute(agents.offline, { input, attachments });
    expect(body).toMatchObject({ success: true, output: expect.stringContaining('nine days') });
    const task = async () => (await get<TaskDetail>(getTask, body.taskId, other)).body;
    const source = { isAttachment: true, articleId: attachments[0] };
    await expect.poll(async () => (await task()).sources?.[0]).toMatchObject(source);
    const file = { id: attachments[0], name: 'offer.md' };
    expect((await task()).attachments).toMatchObject([file]);
    const [id = ''] = attachments;
    expect((await get(getAttachmentText, id, other)).status).toBe(200);
    expect((await get(getAttachmentText, id, foreign)).status).toBe(404);
  });

  it('shows its images to the model, and again when it is retried', async () => {
    const connection = await newConnection(admin, { baseUrl: peer.baseURL, models: ['any'] });
    const model = { connectionId: connection.id };
    const made = await admin.call<{ id: string }>(createAgent, { body: { ...agentInput, model } });
    const attachments = [await image()];
    const input = 'fail, please';
    const failed = await execute(made.body.id, { input, attachments });
    expect(failed.body).toMatchObject({ success: false, creditCost: 0 });
    const sent = imagesIn(peer.received.at(-1));
    expect(sent).toHaveLength(1);
    const again = await get<ExecutionResult>(retryTask, failed.body.taskId);
    expect(imagesIn(peer.received.at(-1))).toEqual(sent);
    const task = (await get<TaskDetail>(getTask, again.body.taskId)).body;
    expect(task.attachments).toMatchObject([{ id: attachments[0], kind: 'image' }]);
  });

  it('is refused without a charge when the model takes no images', async () => {
    const attachments = [await image()];
    const { status, body } = await execute(agents.blind, { input: 'What is this?', attachments });
    expect([status, body.code]).toEqual([422, 'model-takes-no-images']);
    expect((await get(deleteAttachment, attachments[0] ?? '')).status).toBe(204);
  });
});
