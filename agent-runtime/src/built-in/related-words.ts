import { readFileSync } from 'node:fs';
import { irregularFormsOf, stem } from './stem.ts';

/**
 * Everyday English, a word on each line with the words that stand for it in an answer: others for
 * the same ("wage: pay salary"), and kinds of it ("colour: red green"). Read in this direction: who
 * asks for a colour is answered by "red", not the other way round.
 */
const list = readFileSync(new URL('./related-words.txt', import.meta.url), 'utf8');

const related = new Map<string, Set<string>>();
for (const line of list.trim().split('\n')) {
  const [word = '', others = ''] = line.split(': ');
  const own = stem(word, 'en');
  related.set(own, new Set([...(related.get(own) ?? []), ...others.split(' ')]));
}
const relatedStems = new Map(
  [...related].map(([own, words]) => [own, new Set([...words].map((word) => stem(word, 'en')))]),
);

/** Whether an English stem that was found stands for one that was asked for. */
export const isRelated = (asked: string, found: string): boolean =>
  relatedStems.get(asked)?.has(found) ?? false;

/** Other English words that stand for a word: its irregular forms, and everyday words for it. */
export function formsOf(word: string): string[] {
  const own = stem(word, 'en');
  const all = new Set([...irregularFormsOf(own), ...(related.get(own) ?? [])]);
  all.delete(word);
  return [...all];
}
