import { refusal } from '../../kernel/refusal.ts';
import type { ImportReason } from './knowledge.fields.ts';

export const ImportNotPossible = refusal(
  'import-refused',
  422,
  'Not imported',
  (p: { reason: ImportReason; sentence: string }) => p.sentence,
);
