import { z } from 'zod';
import { ADMINS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Page } from '../../kernel/lists.ts';
import { Role } from '../../kernel/role.ts';
import { TooManyApiKeys } from './api-keys.refusals.ts';

/** Maximum number of active keys (neither revoked nor expired) of an organization. */
export const API_KEYS_MAX = 100;
/** Calls that a key may make per minute. An expensive call counts as several. */
export const KEY_CALLS_PER_MINUTE = 600;
export const COSTLY_CALL_WEIGHT = 5;

const NAME = 'Name must have 1 to 100 characters';
const EXPIRY = 'Expiry must be a moment, as 2027-01-31T00:00:00Z';

export const ApiKeyInput = z.strictObject({
  name: z.string(NAME).trim().min(1, NAME).max(100, NAME),
  role: Role,
  /**
   * When the key expires; without it the key never expires. An Auditor's key must expire within a year.
   */
  expiresAt: z.iso
    .datetime({ offset: true, error: EXPIRY })
    // An offset can reach into a year that an event can't hold.
    .refine((text) => Date.parse(text) < Date.UTC(10_000, 0), EXPIRY)
    .transform((text) => new Date(text).toISOString())
    .optional(),
});

/** A key as listed, without the secret. */
export const ApiKey = z.object({
  id: Id,
  name: z.string(),
  role: Role,
  status: z.enum(['active', 'expired', 'revoked']),
  createdBy: z.object({ id: Id, name: z.string().nullable() }),
  createdAt: Instant,
  expiresAt: Instant.nullable(),
  /** Accurate to about ten seconds. */
  lastUsedAt: Instant.nullable(),
});
export type ApiKey = z.infer<typeof ApiKey>;

export const NewApiKey = ApiKey.pick({ id: true, name: true, role: true, expiresAt: true }).extend({
  /** The secret; returned only once. */
  key: z.string(),
});
export type NewApiKey = z.infer<typeof NewApiKey>;

export const listApiKeys = endpoint({
  name: 'listApiKeys',
  method: 'GET',
  path: '/api/api-keys',
  access: ADMINS,
  feature: 'api-keys',
  summary: 'List API keys',
  description: 'Returns the API keys of the organization, newest first, without their secrets.',
  query: Page,
  status: 200,
  answer: z.array(ApiKey),
  answerExample: [
    {
      id: '0193a1b2-0000-7000-8000-000000000001',
      name: 'Order sync',
      role: 'Editor',
      status: 'active',
      createdBy: { id: '0193a1b2-0000-7000-8000-000000000002', name: 'Ada Lovelace' },
      createdAt: '2027-01-31T09:30:00.000Z',
      expiresAt: null,
      lastUsedAt: '2027-01-31T09:30:00.000Z',
    },
  ],
});
export const createApiKey = endpoint({
  name: 'createApiKey',
  method: 'POST',
  path: '/api/api-keys',
  access: ADMINS,
  feature: 'api-keys',
  summary: 'Create API key',
  description:
    'Creates a key with a role. A key of an Auditor must expire within 366 days. Only this answer contains the key; it cannot be shown again.',
  body: ApiKeyInput,
  example: { name: 'Nightly', role: 'Viewer', expiresAt: '2099-01-01T00:00:00Z' },
  status: 201,
  answer: NewApiKey,
  answerExample: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    name: 'Order sync',
    role: 'Viewer',
    expiresAt: null,
    key: 'th_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
  },
  refusals: [TooManyApiKeys],
});
export const revokeApiKey = endpoint({
  name: 'revokeApiKey',
  method: 'DELETE',
  path: '/api/api-keys/{id}',
  access: ADMINS,
  feature: 'api-keys',
  summary: 'Revoke an API key',
  description: 'The next request with the key is refused.',
  params: z.strictObject({ id: Id }),
  status: 204,
});
