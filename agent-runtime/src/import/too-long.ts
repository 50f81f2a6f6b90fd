import { ImportRefused } from './import-refused.ts';
import { counted } from './imported.ts';

/** Throws ImportRefused, `too-long`, when a text has more characters than an article may have. */
export function refuseTooLong(length: number, charactersMax: number): void {
  if (length <= charactersMax) return;
  const has = counted(length, 'character', 'characters');
  const may = charactersMax.toLocaleString('en-US');
  throw new ImportRefused('too-long', `The text has ${has}; at most ${may} are accepted.`);
}
