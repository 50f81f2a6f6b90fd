import { refusal } from '../../kernel/refusal.ts';

/** `reason`: unknown-kind, too-large, too-long, broken-file, encrypted, no-text, bomb and others. */
export const ImportNotPossible = refusal(
  'import-refused',
  422,
  'Not imported',
  (p: { reason: string; sentence: string }) => p.sentence,
);
