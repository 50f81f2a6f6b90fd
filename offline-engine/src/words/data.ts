import { readFileSync } from 'node:fs';

const FOLDER = new URL('../../data/', import.meta.url);

/** The lines of a text file in `data/`. */
export const linesOf = (name: string): string[] =>
  readFileSync(new URL(`${name}.txt`, FOLDER), 'utf8')
    .trim()
    .split('\n');

/** The words of a text file in `data/`, in order. */
export const wordsOf = (name: string): string[] =>
  linesOf(name).flatMap((line) => line.trim().split(' '));
