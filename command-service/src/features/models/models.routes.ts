import { EngineFailure } from '@tallyhand/agent-runtime/engine';
import type { Endpoint } from '@tallyhand/agent-runtime/openai/client';
import { modelsOfEndpoint, probeEndpoint } from '@tallyhand/agent-runtime/openai/probe-endpoint';
import {
  type EmbeddingChoice,
  setMeaningSearch,
} from '@tallyhand/contracts/features/models/meaning-search.endpoints';
import {
  type Connection,
  type ConnectionTest,
  connectionCalls,
  discoverModels,
  findLocalServers,
  listEndpointModels,
  testConnection,
} from '@tallyhand/contracts/features/models/models.endpoints';
import type {
  ConnectionChange,
  ConnectionInput,
} from '@tallyhand/contracts/features/models/models.fields';
import { EmbeddingModelMissing } from '@tallyhand/contracts/features/models/models.refusals';
import { ModelKeyMissing } from '@tallyhand/contracts/features/tasks/work-failures';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyInstance } from 'fastify';
import type { Kit } from '../../kit/app.ts';
import { closeSignal } from '../../kit/caller.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { route } from '../../kit/route.ts';
import type { Versioned } from '../../kit/versioned-object.decider.ts';
import {
  type Sender,
  type VersionedObjects,
  versionedRoutes,
} from '../../kit/versioned-objects.ts';
import { type ConnectionFields, type ConnectionKey, isKeyUsable } from './connection.decider.ts';
import type { ConnectionEndpoints } from './connection-endpoints.ts';
import type { LocalServers } from './local-servers.ts';
import type { ModelImages } from './model-images.ts';

/** Tests call foreign servers. */
const TEST_LIMIT = { max: 20, timeWindow: '1 minute' };
const UNTRIED: ConnectionTest['abilities'] = {
  streaming: null,
  tools: null,
  jsonSchema: null,
  images: null,
  embeddings: null,
};

const view = ({ fields, ...object }: Versioned<ConnectionFields>): Connection => {
  const { id, version, createdAt, updatedAt } = object;
  const { key, models, prices, ...rest } = fields;
  const kept = isKeyUsable(fields) ? 'stored' : 'required';
  return {
    ...rest,
    id,
    models: [...models],
    prices: [...prices],
    apiKey: key === null ? 'none' : kept,
    version,
    createdAt,
    updatedAt,
  };
};

export function modelsRoutes(
  app: FastifyInstance,
  {
    kit,
    connections,
    endpoints,
    localServers,
    modelImages,
    organizations,
  }: {
    readonly kit: Kit;
    readonly connections: VersionedObjects<ConnectionFields>;
    readonly endpoints: ConnectionEndpoints;
    readonly localServers: LocalServers;
    readonly modelImages: ModelImages;
    readonly organizations: {
      chooseEmbeddingModel(
        context: CommandContext,
        choice: EmbeddingChoice & { readonly organizationId: string },
      ): Promise<Refusal | null>;
    };
  },
) {
  async function create({ apiKey, ...fields }: ConnectionInput, by: Sender) {
    const id = idFor(by.context, 'connection');
    const key = apiKey === undefined ? null : await keep(id, apiKey, fields, by);
    return connections.create(id, { ...fields, key }, by);
  }

  async function change(id: string, { apiKey, ...changed }: ConnectionChange, by: Sender) {
    const present = await connections.find(id, by.organizationId);
    // The decider refuses to change a connection that does not exist.
    if (!present || apiKey === undefined) return connections.change(id, changed, by);
    const fields = { ...present.fields, ...changed };
    const key = apiKey === null ? null : await keep(id, apiKey, fields, by);
    const answer = await connections.change(id, { ...changed, key }, by);
    if (isRefusal(answer)) await endpoints.forget(id, key);
    else await endpoints.forget(id, present.fields.key, answer.fields.key);
    return answer;
  }

  async function keep(
    id: string,
    apiKey: string,
    { provider, baseUrl }: Pick<ConnectionFields, 'provider' | 'baseUrl'>,
    { organizationId, context }: Sender,
  ): Promise<ConnectionKey> {
    const key = { id: idFor(context, 'key'), provider, baseUrl };
    await endpoints.keep({ organizationId, connectionId: id, key }, apiKey);
    return key;
  }

  versionedRoutes(app, kit, connectionCalls, { objects: connections, create, change, view });

  route(app, kit, setMeaningSearch, async ({ caller, context, body }) => {
    const { organizationId } = caller;
    if (body.connectionId !== null) {
      const connection = await connections.find(body.connectionId, organizationId);
      if (!connection) return NotFound({ what: 'connection' });
      if (!connection.fields.embeddingModel) return EmbeddingModelMissing({});
    }
    return (await organizations.chooseEmbeddingModel(context, { organizationId, ...body })) ?? body;
  });

  const finding = { limit: TEST_LIMIT };
  route(app, kit, findLocalServers, finding, async ({ caller, reply }) =>
    localServers.find(caller.organizationId, closeSignal(reply)),
  );
  const testing = { what: 'connection', limit: TEST_LIMIT };
  route(app, kit, testConnection, testing, async ({ caller, params, body, reply }) => {
    const connection = await connections.find(params.id, caller.organizationId);
    if (!connection) return NotFound({ what: 'connection' });
    const { models, embeddingModel } = connection.fields;
    const model = body.model ?? models[0] ?? '';
    const endpoint = await endpoints.open(connection);
    if (!endpoint) return { model, ...untried };
    const asked = { model, embeddingModel };
    const probed = await probeEndpoint(endpoint, asked, closeSignal(reply));
    const { images } = probed.abilities;
    if (images !== null) await modelImages.remember(connection, model, images);
    return { works: probed.failure === null, model, ...probed };
  });
  route(app, kit, discoverModels, testing, async ({ caller, params, reply }) => {
    const connection = await connections.find(params.id, caller.organizationId);
    if (!connection) return NotFound({ what: 'connection' });
    const endpoint = await endpoints.open(connection);
    if (!endpoint) return { models: [], failure: ModelKeyMissing({}) };
    return modelNames(endpoint, closeSignal(reply));
  });
  route(app, kit, listEndpointModels, finding, async ({ caller, body, reply }) =>
    modelNames(await endpoints.at(caller.organizationId, body), closeSignal(reply)),
  );
}

const untried = {
  works: false,
  latencyMs: 0,
  abilities: UNTRIED,
  failure: ModelKeyMissing({}),
};

async function modelNames(endpoint: Endpoint, signal: AbortSignal) {
  try {
    return { models: await modelsOfEndpoint(endpoint, signal), failure: null };
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    return { models: [], failure: error.sentence };
  }
}
