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

/** Lets the organization of an Admin embed texts with a model at this address. Returns the choice. */
export async function useEmbeddingModel(client: ApiClient, baseUrl: string, model: string) {
  const { id } = await newConnection(client, { baseUrl, embeddingModel: model });
  const body = { source: 'connection', connectionId: id };
  expect((await client.call(setMeaningSearch, { body })).status).toBe(200);
  return body;
}
