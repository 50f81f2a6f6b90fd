import { z } from 'zod';
import { changeOf } from '../../kernel/changes.ts';
import { INVALID_URL, isHttpUrl, URL_LENGTH_MAX, URL_TOO_LONG } from '../../kernel/http-url.ts';
import { MODEL_PROVIDER_IDS } from './model-providers.ts';

export const MODELS_MAX = 200;
const SECRET_MAX = 4_000;

const BaseUrl = z
  .string({ error: INVALID_URL })
  .trim()
  .max(URL_LENGTH_MAX, URL_TOO_LONG)
  .refine((url) => isHttpUrl(url) && !url.includes('#'), INVALID_URL)
  .overwrite((url) => url.replace(/\/+$/, ''));

export const ModelId = z
  .string({ error: 'The name of a model is required' })
  .trim()
  .min(1, 'The name of a model is required')
  .max(200, 'The name of a model must be at most 200 characters');

/** Far above the dearest model. */
const PRICE_MAX = 10_000;
const PRICE_DECIMALS = 6;
const PRICE = 'A price must be from 0 to 10,000 dollars, with at most six decimals';

const Price = z
  .number({ error: PRICE })
  .min(0, PRICE)
  .max(PRICE_MAX, PRICE)
  .refine((price) => price === Number(price.toFixed(PRICE_DECIMALS)), PRICE);

/** What an endpoint charges for a model, in US dollars for a million tokens. */
export const ModelPrice = z.strictObject(
  {
    model: ModelId,
    input: Price,
    /** The part of the input that the endpoint had cached; null if it costs as much as the rest. */
    cachedInput: Price.nullable(),
    output: Price,
  },
  { error: ({ code }) => (code === 'invalid_type' ? 'A price must be an object' : undefined) },
);
export type ModelPrice = z.infer<typeof ModelPrice>;

const fields = {
  name: z
    .string({ error: 'Name must be at least 2 characters' })
    .trim()
    .min(2, 'Name must be at least 2 characters')
    .max(100, 'Name must be at most 100 characters'),
  provider: z.enum(MODEL_PROVIDER_IDS, {
    error: `provider must be one of ${MODEL_PROVIDER_IDS.join(', ')}`,
  }),
  baseUrl: BaseUrl,
  /** Those that agents may choose, the default first. */
  models: z
    .array(ModelId, { error: 'models must be a list of names' })
    .min(1, 'At least one model is required')
    .max(MODELS_MAX, `At most ${MODELS_MAX} models`)
    .overwrite((all) => [...new Set(all)]),
  embeddingModel: ModelId.nullable(),
  /** Those that differ from the public prices, or that no public list has. */
  prices: z
    .array(ModelPrice, { error: 'prices must be a list of prices' })
    .max(MODELS_MAX, `At most ${MODELS_MAX} prices`)
    .refine(
      (all) => new Set(all.map(({ model }) => model)).size === all.length,
      'Each model can have one price',
    ),
};

/** Write-only: never returned. */
export const ModelApiKey = z
  .string({ error: 'The API key must be a text' })
  .trim()
  .min(1, 'The API key must not be empty')
  .max(SECRET_MAX, `The API key must be at most ${SECRET_MAX} characters`)
  .regex(/^[\x21-\x7e]+$/, 'The API key can only have visible ASCII characters');

export const ConnectionInput = z.strictObject({
  ...fields,
  embeddingModel: fields.embeddingModel.default(null),
  prices: fields.prices.default([]),
  apiKey: ModelApiKey.optional(),
});
export type ConnectionInput = z.infer<typeof ConnectionInput>;

/** Where an endpoint is, and the key that it is called with. */
export const EndpointInput = ConnectionInput.pick({ provider: true, baseUrl: true, apiKey: true });
export type EndpointInput = z.infer<typeof EndpointInput>;

/**
 * Fields that are not sent stay unchanged. A stored key is only sent to the provider and the URL that
 * it was entered for: with another one, the key must be entered again. Null deletes it.
 */
export const ConnectionChange = changeOf({ ...fields, apiKey: ModelApiKey.nullable() });
export type ConnectionChange = z.infer<typeof ConnectionChange>;
