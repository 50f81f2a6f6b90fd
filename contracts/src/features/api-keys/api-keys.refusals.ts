import { refusal } from '../../kernel/refusal.ts';

export const TooManyApiKeys = refusal(
  'too-many-api-keys',
  409,
  'Too many API keys',
  (p: { keysMax: number }) =>
    `An organization has at most ${p.keysMax} API keys that count. Revoke one that is not used.`,
);
