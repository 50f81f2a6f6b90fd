import { readFileSync } from 'node:fs';

const FOLDER = new URL('../../data/', import.meta.url);

/** The lines of a text file in `data/`. */
export const linesOf = (name: string): string[] =>
  readFileSync(new URL(`${name}.txt`, FOLDER), 'utf8')
    .trim()
    .split('\n');

/** The value of each word for a number, in several languages. */
export const numberWords: ReadonlyMap<string, number> = new Map(
  linesOf('number-words').flatMap((line) => {
    const [number, ...words] = line.split(' ');
    return words.map((word) => [word, Number(number)] as const);
  }),
);

/** The words of a text file in `data/`, in order. */
export const wordsOf = (name: string): string[] =>
  linesOf(name).flatMap((line) => line.trim().split(' '));

/** The values with different keys, in the order of the first of each; of equal keys the last value. */
export const uniqueBy = <Value>(values: readonly Value[], keyOf: (value: Value) => string) => [
  ...new Map(values.map((value) => [keyOf(value), value])).values(),
];
