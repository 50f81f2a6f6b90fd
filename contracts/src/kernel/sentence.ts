import { z } from 'zod';
import type { Refusal } from './refusal.ts';

/** The parameters of a sentence; `reason` distinguishes the sentences of one code. */
export const SentenceParams = z.record(z.string(), z.union([z.string(), z.number()]));
export type SentenceParams = z.infer<typeof SentenceParams>;

/** A sentence from the server for people, with the code by which a page translates it. */
export const Sentence = z.object({ code: z.string(), params: SentenceParams, text: z.string() });
export type Sentence = z.infer<typeof Sentence>;

export type SentenceKind<P extends SentenceParams> = ((params: P) => Sentence) & {
  readonly key: string;
};

/**
 * Declares a sentence; calling it creates the value. `key` is the code, followed by `_` and the
 * reason if the code has several.
 */
export function sentence<P extends SentenceParams>(
  key: string,
  text: (params: P) => string,
): SentenceKind<P> {
  const [code = key, reason] = key.split('_');
  const make = (params: P): Sentence => ({
    code,
    params: reason === undefined ? params : { ...params, reason },
    text: text(params),
  });
  return Object.assign(make, { key });
}

/** The sentence of a refusal, stored where the outcome of the ended work is shown later. */
export function sentenceOf({ code, params, detail }: Refusal): Sentence {
  const told = Object.entries(params).filter((entry): entry is [string, string | number] =>
    ['string', 'number'].includes(typeof entry[1]),
  );
  return { code, params: Object.fromEntries(told), text: detail };
}
