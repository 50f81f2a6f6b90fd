import { refusal } from '../../kernel/refusal.ts';

export const TooManyApiKeys = refusal(
  'too-many-api-keys',
  409,
  'Too many API keys',
  (p: { keysMax: number }) =>
    `An organization can have at most ${p.keysMax} active API keys. Revoke one that you do not use.`,
);
