import type { ImportReason } from '@tallyhand/contracts/features/knowledge/knowledge.fields';
import type { Imported, ImportLimits, ImportSource } from './imported.ts';

/** What an import thread is started with, and the one message that it answers. */
export type ToImportThread = { source: ImportSource; limits: ImportLimits };
export type FromImportThread =
  | { kind: 'imported'; imported: Imported }
  | { kind: 'refused'; code: ImportReason; sentence: string };
