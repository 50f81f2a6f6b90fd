import { askedRequest } from '@tallyhand/command-service/kit/idempotency';
import {
  createAgent,
  deleteAgent,
  restoreAgent,
} from '@tallyhand/contracts/features/agents/agents.endpoints';
import { revokeApiKey } from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import {
  type ChatReply,
  chatWithAgent,
  deleteConversation,
} from '@tallyhand/contracts/features/chat/chat.endpoints';
import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  createArticle,
  deleteArticle,
  restoreArticle,
} from '@tallyhand/contracts/features/knowledge/knowledge.endpoints';
import { disconnectMailbox } from '@tallyhand/contracts/features/mailboxes/mailboxes.endpoints';
import {
  createPlaybook,
  deletePlaybook,
  restorePlaybook,
} from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import {
  removeMember,
  restoreMember,
  revokeInvitation,
} from '@tallyhand/contracts/features/team/team.endpoints';
import {
  createTool,
  deleteTool,
  restoreTool,
} from '@tallyhand/contracts/features/tools/tools.endpoints';
import {
  createWebhook,
  deleteWebhook,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { sealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import {
  type ApiClient,
  agentInput,
  playbookInput,
  registerOrganization,
  toolInput,
} from '@tallyhand/test-kit/api-client';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newMailbox } from '../testing/mailboxes.ts';
import { invite, joinAs, newKey } from '../testing/members.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

const article = { title: 'Returns', content: 'Within 30 days of delivery.', category: 'General' };

let product: TestProduct;
let admin: pg.Client;
let client: ApiClient;
let user: CurrentUser;

beforeAll(async () => {
  product = await sharedProduct();
  admin = new pg.Client({ connectionString: product.config.databaseUrl });
  await admin.connect();
  ({ client, user } = await registerOrganization(product.url));
});
afterAll(async () => {
  await admin.end();
});

/** The leftovers of a process that died after the effect of a call and before its answer. */
async function forgetAnswer(key: string) {
  const { rowCount } = await admin.query(
    `update operational.idempotency set status = null, body = null, position = null,
       created_at = now() - interval '1 minute' where key = $1`,
    [key],
  );
  expect(rowCount).toBe(1);
}

const made = (endpoint: Endpoint, body: object) => async () =>
  (await client.call<{ id: string }>(endpoint, { body })).body.id;
const newAgent = made(createAgent, agentInput);
const deleted = (make: () => Promise<string>, remove: Endpoint) => async () => {
  const id = await make();
  expect((await client.call(remove, { params: { id } })).status).toBe(204);
  return id;
};
const newMember = async () => (await joinAs(client, product.url, 'Viewer')).user.id;
const newTool = made(createTool, toolInput);
const newArticle = made(createArticle, article);
const newPlaybook = made(createPlaybook, playbookInput);

/** Calls whose repetition finds nothing left to do. */
const calls: [endpoint: Endpoint, make: () => Promise<string>][] = [
  [deleteAgent, newAgent],
  [restoreAgent, deleted(newAgent, deleteAgent)],
  [deleteArticle, newArticle],
  [restoreArticle, deleted(newArticle, deleteArticle)],
  [deletePlaybook, newPlaybook],
  [restorePlaybook, deleted(newPlaybook, deletePlaybook)],
  [deleteTool, newTool],
  [restoreTool, deleted(newTool, deleteTool)],
  [
    deleteConversation,
    async () => {
      const options = { params: { id: await newAgent() }, body: { message: 'Hello' } };
      return (await client.call<ChatReply>(chatWithAgent, options)).body.conversationId;
    },
  ],
  [deleteWebhook, made(createWebhook, { url: 'https://example.com/hook', events: ['TaskFailed'] })],
  [revokeApiKey, async () => (await newKey(client, 'Viewer')).id],
  [removeMember, newMember],
  [restoreMember, deleted(newMember, removeMember)],
  [revokeInvitation, async () => (await invite(client, 'Viewer')).id],
  [disconnectMailbox, async () => newMailbox(client, await newAgent())],
];

describe('a call whose process died between its effect and its answer', () => {
  it.each(calls.map(([endpoint, make]) => ({ name: endpoint.name, endpoint, make })))(
    'gets its answer when it is repeated: $name',
    async ({ endpoint, make }) => {
      const params = { id: await make() };
      const key = crypto.randomUUID();
      const call = (headers: Record<string, string>) =>
        client.call<Problem>(endpoint, { params, headers });
      const first = await call({ 'idempotency-key': key });
      expect(first.status, JSON.stringify(first.body)).toBeLessThan(300);
      await forgetAnswer(key);

      const repeated = await call({ 'idempotency-key': key });

      expect([repeated.status, repeated.body]).toEqual([first.status, first.body]);
    },
  );

  it('is not answered with the effect of another call', async () => {
    const params = { id: await newAgent() };
    const key = crypto.randomUUID();
    // It died before its effect, and another call has deleted the agent since.
    const box = sealedBox(product.config.masterKey);
    const { hash } = askedRequest(box, 'DELETE /api/agents/{id}', params, null);
    await admin.query(
      `insert into operational.idempotency
         (organization_id, user_id, key, request_hash, created_at)
       values ($1, $2, $3, $4, now() - interval '1 minute')`,
      [user.organization.id, user.id, key, hash],
    );
    expect((await client.call(deleteAgent, { params })).status).toBe(204);
    const repeated = await client.call<Problem>(deleteAgent, {
      params,
      headers: { 'idempotency-key': key },
    });
    expect([repeated.status, repeated.body.code]).toEqual([404, 'not-found']);
  });
});
