import type { ImportReason } from '@tallyhand/contracts/features/knowledge/knowledge.fields';
import { counted } from './imported.ts';

/** A file or page that can't become an article. `sentence` gives the reason, for members. */
export class ImportRefused extends Error {
  readonly code: ImportReason;
  readonly sentence: string;

  constructor(code: ImportReason, sentence: string) {
    super(sentence);
    this.name = 'ImportRefused';
    this.code = code;
    this.sentence = sentence;
  }
}

/** The library's result, or `broken-file`: libraries report broken files by arbitrary errors. */
export async function orBroken<T>(sentence: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ImportRefused) throw error;
    throw new ImportRefused('broken-file', sentence);
  }
}

/** Throws ImportRefused, `too-long`, when a text has more characters than an article may have. */
export function refuseTooLong(length: number, charactersMax: number): void {
  if (length <= charactersMax) return;
  const has = counted(length, 'character', 'characters');
  const may = charactersMax.toLocaleString('en-US');
  throw new ImportRefused('too-long', `The text has ${has}; at most ${may} are accepted.`);
}
