import type { AnswerEngine, OfflineEngine, OnModelCall } from '@tallyhand/agent-runtime/engine';
import { EngineFailure } from '@tallyhand/agent-runtime/engine';
import { withFallback } from '@tallyhand/agent-runtime/fallback-engine';
import { type ModelOptions, openAiEngine } from '@tallyhand/agent-runtime/openai/openai-engine';
import type { AgentModel } from '@tallyhand/contracts/features/agents/agents.fields';
import { MODEL_PROVIDERS } from '@tallyhand/contracts/features/models/model-providers';
import { ModelKeyMissing } from '@tallyhand/contracts/features/tasks/work-failures';
import { LRUCache } from 'lru-cache';
import type { Versioned } from '../../kit/versioned-object.decider.ts';
import type { VersionedObjects } from '../../kit/versioned-objects.ts';
import type { ConnectionFields } from './connection.decider.ts';
import type { ConnectionEndpoints } from './connection-endpoints.ts';

/** Each remembers what its model does not support. */
const ENGINES_MAX = 500;

type Choice = Pick<AgentModel, 'connectionId' | 'model'>;
type Options = Omit<ModelOptions, 'limitField'>;

type Parts = {
  readonly connections: Pick<VersionedObjects<ConnectionFields>, 'find'>;
  readonly endpoints: ConnectionEndpoints;
  /** Of the installation, for agents without a model of their own. */
  readonly standard: AnswerEngine;
  readonly builtIn: OfflineEngine;
  readonly onModelCall: OnModelCall;
};

/** Finds the engine that answers for an agent. */
export class Engines {
  readonly #parts: Parts;
  readonly #engines = new LRUCache<string, AnswerEngine>({ max: ENGINES_MAX });

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** With the standard engine in place of a connection that was deleted. */
  async of(organizationId: string, chosen: AgentModel | null | undefined): Promise<AnswerEngine> {
    if (!chosen) return this.#parts.standard;
    const { temperature, maxOutputTokens, reasoningEffort, fallback } = chosen;
    const options = { temperature, maxOutputTokens, reasoningEffort };
    const first = await this.#engineOf(organizationId, chosen, options);
    if (!fallback) return first;
    return withFallback(first, await this.#engineOf(organizationId, fallback, options));
  }

  async #engineOf(organizationId: string, choice: Choice, options: Options): Promise<AnswerEngine> {
    const { connections, standard, builtIn } = this.#parts;
    if (choice.connectionId === null) return builtIn;
    const connection = await connections.find(choice.connectionId, organizationId);
    if (!connection) return standard;
    const model = choice.model ?? connection.fields.models[0] ?? '';
    const key = JSON.stringify([connection.id, connection.version, model, options]);
    const known = this.#engines.get(key);
    if (known) return known;
    const engine = await this.#open(connection, model, options);
    if (engine) this.#engines.set(key, engine);
    return engine ?? withoutKey(model);
  }

  async #open(connection: Versioned<ConnectionFields>, model: string, options: Options) {
    const { endpoints, builtIn, onModelCall } = this.#parts;
    const endpoint = await endpoints.open(connection);
    if (!endpoint) return null;
    const { limitField } = MODEL_PROVIDERS[connection.fields.provider];
    const { closestQuote } = builtIn;
    return openAiEngine({
      ...endpoint,
      model,
      closestQuote,
      onModelCall,
      options: { ...options, limitField },
    });
  }
}

/** Fails every answer: the key of its connection was entered for another address. */
const withoutKey = (model: string): AnswerEngine => ({
  model,
  answer: () => Promise.reject(new EngineFailure(ModelKeyMissing({}))),
});
