import { expect } from 'vitest';
import { type ClientOptions, Tallyhand } from '../tallyhand.ts';

export const apiKey = 'th_a-key-that-nobody-may-see';
/** Lets the client come back at once. */
export const now = { 'retry-after': '0' };
export const agent = { id: 'a', name: 'Support' };

export const clientOf = (baseUrl: string, options: Partial<ClientOptions> = {}): Tallyhand =>
  new Tallyhand({ baseUrl, apiKey, ...options });

/** What a promise was rejected with. */
export const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error as Error,
  );

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}
