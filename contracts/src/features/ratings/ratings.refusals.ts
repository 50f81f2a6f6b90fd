import { refusal } from '../../kernel/refusal.ts';

export const NothingToRate = refusal(
  'nothing-to-rate',
  409,
  'No answer to rate',
  () => 'Only the answer of a successful task can be rated.',
);
