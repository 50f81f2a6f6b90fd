import type { ModelProviderId } from '@tallyhand/contracts/features/models/model-providers';
import type { Connection } from '@tallyhand/contracts/features/models/models.endpoints';
import {
  ConnectionInput,
  ModelApiKey,
  ModelPrice,
} from '@tallyhand/contracts/features/models/models.fields';
import { z } from 'zod';
import type { FormOf } from '../../app/form.ts';

/** With a point or a comma. */
const DOLLARS = /^\d{1,5}(?:[.,]\d{1,6})?$/;

const Dollars = z
  .string()
  .trim()
  .regex(DOLLARS, 'Enter dollars, such as 1.25')
  .transform((text) => Number(text.replace(',', '.')));

/** Prices as they are typed. */
const PriceTexts = z.array(
  z.strictObject({
    model: ModelPrice.shape.model,
    input: Dollars,
    cachedInput: z
      .literal('')
      .transform(() => null)
      .or(Dollars),
    output: Dollars,
  }),
);

const DECIMALS = 6;
/** Never with an exponent. */
const textOf = (price: number) => price.toFixed(DECIMALS).replace(/\.?0+$/, '');

const priceTextsOf = (prices: Connection['prices']): z.input<typeof PriceTexts> =>
  prices.map(({ model, input, cachedInput, output }) => ({
    model,
    input: textOf(input),
    cachedInput: cachedInput === null ? '' : textOf(cachedInput),
    output: textOf(output),
  }));

/** One model per line, and no key where none was typed. */
export const ConnectionTexts = z.strictObject({
  name: ConnectionInput.shape.name,
  provider: ConnectionInput.shape.provider,
  baseUrl: ConnectionInput.shape.baseUrl,
  models: z.string().transform(linesOf).pipe(ConnectionInput.shape.models),
  embeddingModel: z
    .string()
    .transform((model) => (model.trim() === '' ? null : model))
    .pipe(ConnectionInput.shape.embeddingModel.unwrap()),
  prices: PriceTexts.pipe(ConnectionInput.shape.prices.unwrap()),
  apiKey: z
    .string()
    .transform((key) => (key.trim() === '' ? undefined : key))
    .pipe(ModelApiKey.optional()),
});
export type ConnectionTexts = z.input<typeof ConnectionTexts>;

export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

export const textsOf = ({
  name,
  provider,
  baseUrl,
  models,
  embeddingModel,
  prices,
}: Connection): ConnectionTexts => ({
  name,
  provider: provider as ModelProviderId,
  baseUrl,
  models: models.join('\n'),
  embeddingModel: embeddingModel ?? '',
  prices: priceTextsOf(prices),
  apiKey: '',
});

export type ConnectionForm = FormOf<typeof ConnectionTexts>;
