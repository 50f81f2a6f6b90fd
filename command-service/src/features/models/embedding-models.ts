import { embeddingModelOf } from '@tallyhand/agent-runtime/choose-engine';
import type { ModelSource, OnModelCall } from '@tallyhand/agent-runtime/engine';
import { newCircuit } from '@tallyhand/agent-runtime/openai/circuit';
import type { Endpoint } from '@tallyhand/agent-runtime/openai/client';
import { type Embedder, openAiEmbedder } from '@tallyhand/agent-runtime/openai/embeddings';
import type { EmbeddingChoice } from '@tallyhand/contracts/features/models/meaning-search.endpoints';
import { EMBEDDING_INPUT_MAX } from '@tallyhand/contracts/features/openai/openai.fields';
import { ModelKeyMissing } from '@tallyhand/contracts/features/tasks/work-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { Position } from '@tallyhand/service-kit/event-store/position';
import { LRUCache } from 'lru-cache';
import type { Kit } from '../../kit/app.ts';
import type { VersionedObjects } from '../../kit/versioned-objects.ts';
import type { ConnectionFields } from './connection.decider.ts';
import { type ConnectionEndpoints, sourceOf } from './connection-endpoints.ts';

/** Each remembers that its endpoint failed. */
const MODELS_MAX = 500;
/** A question is answered by its words alone if the model takes longer. */
const QUESTION_MS_MAX = 5_000;
const ARTICLES_MS_MAX = 60_000;
/** For the texts of one request; a call of the API may need several. */
const CALL_MS_MAX = 30_000;
/** Changes when passages are cut or embedded differently: all articles are then embedded again. */
const WAY_OF_EMBEDDING = '1';

export type EmbeddingModel = {
  readonly model: string;
  /** Derived from address and model. */
  readonly space: string;
  readonly forQuestions: Embedder;
  readonly forArticles: Embedder;
  /**
   * For programs: with the cost of each call, and without pauses, because a text that the model
   * refuses must not keep the others from being embedded.
   */
  readonly forCalls: Embedder;
};

type Parts = {
  readonly connections: Pick<VersionedObjects<ConnectionFields>, 'find'>;
  readonly endpoints: ConnectionEndpoints;
  /** Null for an organization that is closed. */
  readonly choiceOf: (organizationId: string, since?: Position) => Promise<EmbeddingChoice | null>;
  readonly onModelCall: OnModelCall;
};

/** Finds the model that embeds an organization's articles and questions. */
export class EmbeddingModels {
  readonly #kit: Pick<Kit, 'pool' | 'settings'>;
  readonly #parts: Parts;
  readonly #models = new LRUCache<string, EmbeddingModel>({ max: MODELS_MAX });
  /** That of the installation, for organizations that have not chosen. */
  readonly standard: EmbeddingModel | null;

  constructor(kit: Pick<Kit, 'pool' | 'settings'>, parts: Parts) {
    this.#kit = kit;
    this.#parts = parts;
    const standard = embeddingModelOf(kit.settings.model ?? {});
    this.standard = standard && this.#modelAt(standard, standard.model, standard.source);
  }

  /** Null without a model; a sentence where the chosen one can't be called. */
  async of(organizationId: string, since?: Position): Promise<EmbeddingModel | Sentence | null> {
    const { choiceOf, connections, endpoints } = this.#parts;
    const choice = await choiceOf(organizationId, since);
    if (!choice || choice.source === 'off') return null;
    if (choice.connectionId === null) return this.standard;
    const connection = await connections.find(choice.connectionId, organizationId, since);
    const model = connection?.fields.embeddingModel;
    if (!connection || !model) return null;
    const key = await endpoints.stateOf(connection);
    const known = this.#models.get(key);
    if (known) return known;
    const endpoint = await endpoints.open(connection);
    if (!endpoint) return ModelKeyMissing({});
    const opened = this.#modelAt(endpoint, model, sourceOf(connection, model));
    this.#models.set(key, opened);
    return opened;
  }

  /**
   * The question as a vector, by the model that was chosen at `since` or later; null if words alone
   * must find its passages.
   */
  async meaningOf(organizationId: string, question: string, since: Position) {
    const model = await this.of(organizationId, since);
    if (!model || !('space' in model)) return null;
    const { vectors, ...rest } = await model.forQuestions.embed([question]);
    const [vector] = vectors ?? [];
    if (vector) return { space: model.space, vector };
    if ('isPaused' in rest && !rest.isPaused) await this.#noteFailure(organizationId, rest.failure);
    return null;
  }

  /** Settings show it until the worker, which is asked to look, finds that the model answers. */
  async #noteFailure(organizationId: string, failure: Sentence) {
    await this.#kit.pool.query(
      `update operational.embeddings
       set failure = $2, next_at = coalesce(next_at, now() + interval '1 minute')
       where organization_id = $1`,
      [organizationId, JSON.stringify(failure)],
    );
  }

  #modelAt(
    { apiKey, baseURL, keyHeader, policy }: Endpoint,
    model: string,
    source: ModelSource,
  ): EmbeddingModel {
    // The circuit of the endpoint is that of answers and plans.
    const address = { apiKey, baseURL, keyHeader, policy };
    const { onModelCall } = this.#parts;
    const embedder = (timeoutMs: number) =>
      openAiEmbedder({ ...address, model, timeoutMs, onModelCall });
    return {
      model,
      space: derivedId('embeddings', WAY_OF_EMBEDDING, baseURL ?? '', model),
      forQuestions: embedder(QUESTION_MS_MAX),
      forArticles: embedder(ARTICLES_MS_MAX),
      forCalls: openAiEmbedder({
        ...address,
        model,
        source,
        onModelCall,
        timeoutMs: CALL_MS_MAX,
        textLengthMax: EMBEDDING_INPUT_MAX,
        pauseMs: { failed: 0, refused: 0 },
        circuit: newCircuit(),
      }),
    };
  }
}
