import {
  type ApiKeyEvent,
  apiKeyEvents,
} from '@tallyhand/contracts/features/api-keys/api-keys.events';
import { apiKeysModel } from '@tallyhand/read-models/features/api-keys/api-keys.tables';
import { rowProjection } from '../../kernel/row-projection.ts';

export const apiKeysProjection = rowProjection<ApiKeyEvent, 'api_keys', 'ApiKeyCreated'>({
  model: apiKeysModel,
  kinds: apiKeyEvents,
  table: 'api_keys',
  key: 'key_id',
  idOf: ({ keyId }) => keyId,
  first: {
    ApiKeyCreated: (data, { at }) => ({
      key_id: data.keyId,
      organization_id: data.organizationId,
      name: data.name,
      role: data.role,
      created_by: data.createdBy,
      created_at: at,
      expires_at: data.expiresAt,
      is_revoked: false,
    }),
  },
  next: { ApiKeyRevoked: (row) => ({ ...row, is_revoked: true }) },
});
