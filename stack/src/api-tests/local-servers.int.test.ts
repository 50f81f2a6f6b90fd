import {
  completion,
  openAiPeer,
  type Peer,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { type Agent, createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type ConnectionTest,
  findLocalServers,
  type LocalServer,
  testConnection,
} from '@tallyhand/contracts/features/models/models.endpoints';
import {
  type ExecutionResult,
  executeTask,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { type ApiClient, agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newConnection } from '../testing/connections.ts';
import { sharedProduct, startTestProduct, type TestProduct } from '../testing/product.ts';

const opened = new AsyncDisposableStack();
let ollama: Peer;
let product: TestProduct;
let admin: ApiClient;
beforeAll(async () => {
  ollama = opened.use(
    await openAiPeer((response, { path }) =>
      path.endsWith('/models')
        ? sendJson(response, 200, {
            object: 'list',
            data: ['nomic-embed-text:latest', 'llama3.2:latest'].map((id) => ({
              id,
              object: 'model',
              created: 1_760_000_000,
              owned_by: 'library',
            })),
          })
        : sendJson(response, 200, completion({ answer: 'From this computer.' })),
    ),
  );
  // Accepts calls and never answers.
  const hanging = opened.use(await openAiPeer(() => {}));
  const portOf = ({ baseURL }: Peer) => Number(new URL(baseURL).port);
  product = opened.use(
    await startTestProduct({
      localModelPorts: { ollama: portOf(ollama), lmstudio: portOf(hanging) },
    }),
  );
  ({ client: admin } = await registerOrganization(product.url));
});
afterAll(() => opened.disposeAsync());

const find = async (client: ApiClient) => (await client.call<LocalServer[]>(findLocalServers)).body;

describe('model servers on this computer', () => {
  it('are found and reached by the only organization, and by none once there are two', async () => {
    const [server, ...others] = await find(admin);
    expect([server, others]).toEqual([
      {
        provider: 'ollama',
        baseUrl: ollama.baseURL,
        models: ['llama3.2:latest'],
        embeddingModel: 'nomic-embed-text:latest',
      },
      [],
    ]);
    const { id } = await newConnection(admin, { ...server, apiKey: undefined });
    const test = () => admin.call<ConnectionTest>(testConnection, { params: { id }, body: {} });
    expect((await test()).body).toMatchObject({ works: true });
    const agent = await admin.call<Agent>(createAgent, {
      body: { ...agentInput, model: { connectionId: id } },
    });
    const run = async () => {
      const params = { id: agent.body.id };
      const body = { input: 'Where are you?' };
      return (await admin.call<ExecutionResult>(executeTask, { params, body })).body;
    };
    expect(await run()).toMatchObject({ success: true, output: 'From this computer.' });

    // The exception is for this provider at this address.
    const other = await newConnection(admin, { provider: 'other', baseUrl: ollama.baseURL });
    const params = { id: other.id };
    const refused = await admin.call<ConnectionTest>(testConnection, { params, body: {} });
    expect(refused.body).toMatchObject({ works: false });

    const { client: second } = await registerOrganization(product.url);
    const before = ollama.received.length;
    expect([await find(admin), await find(second)]).toEqual([[], []]);
    expect((await test()).body.works).toBe(false);
    expect(await run()).toMatchObject({ success: false });
    expect(ollama.received).toHaveLength(before);
  });

  it('are not looked for where the product has many organizations', async () => {
    const shared = await sharedProduct();
    await registerOrganization(shared.url);
    const { client } = await registerOrganization(shared.url);
    expect(await find(client)).toEqual([]);
  });
});
