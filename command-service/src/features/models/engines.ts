import { openAiPlanner } from '@tallyhand/agent-runtime/browsing/openai-planner';
import type { Planner } from '@tallyhand/agent-runtime/browsing/planner';
import type {
  AnswerEngine,
  ModelSource,
  OfflineEngine,
  OnModelCall,
} from '@tallyhand/agent-runtime/engine';
import { EngineFailure } from '@tallyhand/agent-runtime/engine';
import { plannerWithFallback, withFallback } from '@tallyhand/agent-runtime/fallback-engine';
import type { Endpoint } from '@tallyhand/agent-runtime/openai/client';
import type { ModelOptions } from '@tallyhand/agent-runtime/openai/model-options';
import { openAiEngine } from '@tallyhand/agent-runtime/openai/openai-engine';
import type { AgentModel } from '@tallyhand/contracts/features/agents/agents.fields';
import type { WorkKind } from '@tallyhand/contracts/features/credits/paid-work';
import { MODEL_PROVIDERS } from '@tallyhand/contracts/features/models/model-providers';
import {
  ModelConnectionDeleted,
  ModelKeyMissing,
} from '@tallyhand/contracts/features/tasks/work-failures';
import { LRUCache } from 'lru-cache';
import type { Versioned } from '../../kit/versioned-object.decider.ts';
import type { VersionedObjects } from '../../kit/versioned-objects.ts';
import type { ConnectionFields } from './connection.decider.ts';
import { type ConnectionEndpoints, sourceOf } from './connection-endpoints.ts';
import type { ModelImages } from './model-images.ts';
import type { WorkPrice } from './work-price.ts';

/** Each remembers what its model does not support. */
const ENGINES_MAX = 500;
/** The fallback answers sooner than a second attempt would. */
const ANSWER_MS_BEFORE_FALLBACK = 60_000;
/** Leaves a fallback the other half of the time that a runner waits for a plan. */
const PLAN_MS_BEFORE_FALLBACK = 25_000;

type Choice = Pick<AgentModel, 'connectionId' | 'model'>;
type Options = Omit<ModelOptions, 'limitField'> & { readonly hasFallback: boolean };
type Opened = Endpoint & {
  readonly model: string;
  readonly options: ModelOptions;
  readonly source: ModelSource;
  /** Null if it is not known. */
  readonly takesImages: boolean | null;
};

type Connections = {
  readonly connections: Pick<VersionedObjects<ConnectionFields>, 'find'>;
  readonly endpoints: ConnectionEndpoints;
  readonly modelImages: Pick<ModelImages, 'takesImages'>;
  readonly priceOf: WorkPrice;
};

/** What models are used for: to answer, or to plan the steps of sessions. */
type Use<Engine> = {
  /** Of the installation, for agents without a model of their own. */
  readonly standard: Engine;
  readonly builtIn: Engine;
  readonly open: (endpoint: Opened, options: Options) => Engine;
  readonly failing: (model: string, failure: EngineFailure) => Engine;
  readonly withFallback: (first: Engine, second: Engine) => Engine;
};

/** Work that credits were set aside for. */
type Paid = {
  readonly kind: WorkKind;
  readonly price: number;
  /** Whether no other engine may take the place of a connection that was deleted. */
  readonly isExact?: boolean;
};

/** Finds the engine that works for an agent. */
class EnginesFor<Engine extends object> {
  readonly #use: Use<Engine>;
  readonly #from: Connections;
  readonly #opened = new LRUCache<string, Engine>({ max: ENGINES_MAX });

  constructor(use: Use<Engine>, from: Connections) {
    this.#use = use;
    this.#from = from;
  }

  /**
   * The standard engine takes the place of a connection that was deleted, but not for less than its
   * price: not as a fallback, and not for work that was requested before.
   */
  async of(
    organizationId: string,
    chosen: AgentModel | null | undefined,
    paid?: Paid,
  ): Promise<Engine> {
    if (!chosen) return this.#use.standard;
    const { temperature, maxOutputTokens, reasoningEffort, fallback } = chosen;
    const hasFallback = fallback !== null;
    const options = { temperature, maxOutputTokens, reasoningEffort, hasFallback };
    const first = await this.#engineOf(organizationId, chosen, options);
    const second = fallback && (await this.#engineOf(organizationId, fallback, options));
    const engine = first ?? (await this.#insteadOfDeleted(organizationId, chosen, paid));
    return second ? this.#use.withFallback(engine, second) : engine;
  }

  async #insteadOfDeleted(organizationId: string, { model }: Choice, paid: Paid | undefined) {
    const { standard, failing } = this.#use;
    if (!paid) return standard;
    const price = await this.#from.priceOf(paid.kind, organizationId, null);
    if (price <= paid.price && !paid.isExact) return standard;
    return failing(model ?? '', new EngineFailure(ModelConnectionDeleted({})));
  }

  /** Null if the connection was deleted. */
  async #engineOf(organizationId: string, choice: Choice, options: Options) {
    if (choice.connectionId === null) return this.#use.builtIn;
    const connection = await this.#from.connections.find(choice.connectionId, organizationId);
    if (!connection) return null;
    const model = choice.model ?? connection.fields.models[0] ?? '';
    const state = await this.#from.endpoints.stateOf(connection);
    const takesImages = await this.#from.modelImages.takesImages(connection, model);
    const key = JSON.stringify([state, model, options, takesImages]);
    const known = this.#opened.get(key);
    if (known) return known;
    const engine = await this.#open(connection, { model, takesImages }, options);
    if (engine) this.#opened.set(key, engine);
    // The key was entered for another address.
    return engine ?? this.#use.failing(model, new EngineFailure(ModelKeyMissing({})));
  }

  async #open(
    connection: Versioned<ConnectionFields>,
    known: Pick<Opened, 'model' | 'takesImages'>,
    options: Options,
  ) {
    const endpoint = await this.#from.endpoints.open(connection);
    if (!endpoint) return null;
    const { hasFallback: _, ...asked } = options;
    const { limitField } = MODEL_PROVIDERS[connection.fields.provider];
    const source = sourceOf(connection, known.model);
    const opened = { ...endpoint, ...known, source, options: { ...asked, limitField } };
    return this.#use.open(opened, options);
  }
}

type Parts = Connections & {
  readonly standard: { readonly engine: AnswerEngine; readonly planner: Planner };
  readonly builtIn: { readonly engine: OfflineEngine; readonly planner: Planner };
  readonly onModelCall: OnModelCall;
};

/** The engines and planners of agents. */
export type Engines = {
  readonly answers: EnginesFor<AnswerEngine>;
  readonly planners: EnginesFor<Planner>;
};

export function enginesFrom({ standard, builtIn, onModelCall, ...from }: Parts): Engines {
  const { closestQuote } = builtIn.engine;
  const answers: Use<AnswerEngine> = {
    standard: standard.engine,
    builtIn: builtIn.engine,
    open: (endpoint, { hasFallback }) =>
      openAiEngine({
        ...endpoint,
        closestQuote,
        onModelCall,
        ...(hasFallback && { timeoutMs: ANSWER_MS_BEFORE_FALLBACK }),
      }),
    failing: (model, failure) => ({
      model,
      // The failure itself is reported.
      seesImages: true,
      answer: () => Promise.reject(failure),
    }),
    withFallback,
  };
  const planners: Use<Planner> = {
    standard: standard.planner,
    builtIn: builtIn.planner,
    open: (endpoint, { hasFallback }) =>
      openAiPlanner({
        ...endpoint,
        onModelCall,
        ...(hasFallback && { timeoutMs: PLAN_MS_BEFORE_FALLBACK }),
      }),
    failing: (model, failure) => ({
      model,
      seesImages: false,
      next: () => Promise.reject(failure),
    }),
    withFallback: plannerWithFallback,
  };
  return { answers: new EnginesFor(answers, from), planners: new EnginesFor(planners, from) };
}
