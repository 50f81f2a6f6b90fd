import { z } from 'zod';
import { MEMBERS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { PRICE_OF } from '../credits/credits.prices.ts';
import type { WorkKind } from '../credits/paid-work.ts';

/** What the operator asks for models: credits for a task, and for each step of a session. */
export const ModelCredits = z.object({
  /** Of the model that answers for agents without a choice. */
  standard: z.int(),
  /** The first that fits a model's name is its price. Models that none fits cost 1. */
  models: z.array(
    z.object({
      /** The name of a model, or its beginning and an asterisk, such as `claude-opus-*`. */
      model: z.string(),
      credits: z.int(),
    }),
  ),
});
export type ModelCredits = z.infer<typeof ModelCredits>;

/** Credits for a task, or a step of a session, with the model of this name. */
export function creditsOfModel(prices: ModelCredits['models'], name: string): number {
  const fits = (model: string) =>
    model.endsWith('*') ? name.startsWith(model.slice(0, -1)) : name === model;
  return prices.find(({ model }) => fits(model))?.credits ?? 1;
}

/** In a list of prices, the model of agents without a choice. */
const STANDARD = 'default';

/** What the operator asks, from a list of prices; null asks one credit for all. */
export const modelCreditsOf = (prices: ModelCredits['models'] | null): ModelCredits => ({
  standard: creditsOfModel(prices ?? [], STANDARD),
  models: (prices ?? []).filter(({ model }) => model !== STANDARD),
});
export const ONE_CREDIT = modelCreditsOf(null);

type Connections = readonly { readonly id: string; readonly models: readonly string[] }[];

/**
 * Credits for a piece of an agent's work, by the model that it has chosen. The fallback costs as much,
 * and the built-in engine 1. Agents whose connection was deleted use the standard model.
 */
export function creditsOfWork(
  kind: WorkKind,
  prices: ModelCredits,
  chosen: { readonly connectionId: string | null; readonly model: string | null } | null,
  connections: Connections,
): number {
  return PRICE_OF[kind] * timesOf();

  function timesOf() {
    if (!chosen) return prices.standard;
    if (chosen.connectionId === null) return 1;
    const connection = connections.find(({ id }) => id === chosen.connectionId);
    if (!connection) return prices.standard;
    return creditsOfModel(prices.models, chosen.model ?? connection.models[0] ?? '');
  }
}

export const getModelCredits = endpoint({
  name: 'getModelCredits',
  method: 'GET',
  path: '/api/model-credits',
  access: MEMBERS,
  feature: 'models',
  summary: 'Retrieve what models cost',
  description:
    'Returns the credits for a task, and for each step of a session, by the model of the agent. The built-in engine costs 1.',
  status: 200,
  answer: ModelCredits,
  answerExample: {
    standard: 1,
    models: [{ model: 'claude-opus-*', credits: 5 }],
  },
});
