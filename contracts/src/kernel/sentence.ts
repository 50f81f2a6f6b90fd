import { z } from 'zod';
import type { Refusal } from './refusal.ts';

/** What a sentence is filled with; `reason` tells the sentences of one code apart. */
export const SentenceParams = z.record(z.string(), z.union([z.string(), z.number()]));
export type SentenceParams = z.infer<typeof SentenceParams>;

/** What the server says to a person, with the stable name by which a page says it in their language. */
export const Sentence = z.object({ code: z.string(), params: SentenceParams, text: z.string() });
export type Sentence = z.infer<typeof Sentence>;

export type SentenceKind<P extends SentenceParams> = ((params: P) => Sentence) & {
  readonly key: string;
};

/**
 * Declares a sentence; calling it gives the value. `key` is the code, followed by `_` and the
 * reason where the code has several.
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

/** What a refusal says, to be kept where the work that it ended is looked at later. */
export function sentenceOf({ code, params, detail }: Refusal): Sentence {
  const told = Object.entries(params).filter((entry): entry is [string, string | number] =>
    ['string', 'number'].includes(typeof entry[1]),
  );
  return { code, params: Object.fromEntries(told), text: detail };
}
