import { refusal } from '../../kernel/refusal.ts';

export const StatementNotReady = refusal(
  'statement-not-ready',
  503,
  'Statement not ready',
  () => 'Entries of this month may still be on their way. Try again in a minute.',
);
export const StatementNotSigned = refusal(
  'statement-not-signed',
  503,
  'Statement not signed',
  () => "The statement can't be signed at the moment. Try again later, or ask the operator.",
);
