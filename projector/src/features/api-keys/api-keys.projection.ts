import { apiKeyEvents } from '@tallyhand/contracts/features/api-keys/api-keys.events';
import { apiKeysModel } from '@tallyhand/read-models/features/api-keys/api-keys.tables';
import { rowProjection } from '../../kernel/row-projection.ts';

export const apiKeysProjection = rowProjection({
  model: apiKeysModel,
  kinds: apiKeyEvents,
  table: 'api_keys',
  idOf: ({ keyId }) => keyId,
  first: { ApiKeyCreated: () => ({ is_revoked: false }) },
  next: { ApiKeyRevoked: () => ({ is_revoked: true }) },
});
