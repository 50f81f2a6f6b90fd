import { embeddingsPeer } from '@tallyhand/agent-runtime/openai/fixtures/embeddings-peer';
import { changeAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { setMeaningSearch } from '@tallyhand/contracts/features/models/meaning-search.endpoints';
import {
  type Connection,
  createConnection,
} from '@tallyhand/contracts/features/models/models.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import type { ApiClient } from '@tallyhand/test-kit/api-client';
import { expect } from 'vitest';

/** The body of a connection that is never called. */
export const connectionInput = {
  name: 'Hosted models',
  provider: 'other',
  baseUrl: 'https://models.example.com/v1',
  models: ['large', 'small'],
  apiKey: 'a-key-of-the-endpoint',
};

export async function newConnection(client: ApiClient, more: object = {}): Promise<Connection> {
  const { status, body } = await client.call<Connection & Problem>(createConnection, {
    body: { ...connectionInput, ...more },
  });
  expect([status, body.detail]).toEqual([201, undefined]);
  return body;
}

/** Lets an agent use the model of this endpoint. */
export async function useModel(client: ApiClient, agentId: string, baseUrl: string): Promise<void> {
  const { id: connectionId } = await newConnection(client, { baseUrl });
  const options = { params: { id: agentId }, body: { model: { connectionId } } };
  expect((await client.call(changeAgent, options)).status).toBe(200);
}

type EmbeddingModel = AsyncDisposable & { readonly connectionId: string };

/** An embedding model that answers, chosen for the organization of an Admin. */
export async function embeddingModel(client: ApiClient, model: string): Promise<EmbeddingModel> {
  const peer = await embeddingsPeer(() => [3, 4]);
  const input = { baseUrl: peer.baseURL, embeddingModel: model };
  const { id: connectionId } = await newConnection(client, input);
  const body = { source: 'connection', connectionId };
  expect((await client.call(setMeaningSearch, { body })).status).toBe(200);
  return { connectionId, [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose]() };
}
