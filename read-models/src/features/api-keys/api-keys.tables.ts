import { ApiKey } from '@tallyhand/contracts/features/api-keys/api-keys.endpoints';
import { person } from '../../kernel/charges.ts';
import { boolean, orNull, text, timestamp, uuid } from '../../kernel/columns.ts';
import { readPage, selectOf } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';

export const apiKeysModel = readModel({
  name: 'api-keys',
  feature: 'api-keys',
  version: 1,
  tables: {
    api_keys: table({
      key: ['key_id'],
      columns: {
        key_id: uuid,
        organization_id: uuid,
        name: text,
        role: text,
        created_by: uuid,
        created_at: timestamp,
        expires_at: orNull(timestamp),
        is_revoked: boolean,
      },
      indexes: ['(organization_id, created_at, key_id)'],
    }),
  },
});

/** `lastUsedAt` is kept with the rows that authenticate requests. */
export const readApiKeys = readPage('api_keys', {
  table: 'read_model.api_keys',
  as: 'k',
  at: 'created_at',
  id: 'key_id',
  select: selectOf(ApiKey, apiKeysModel.tables.api_keys, 'k', {
    id: 'k.key_id',
    status: `case when k.is_revoked then 'revoked' when k.expires_at <= now() then 'expired'
      else 'active' end`,
    createdBy: person('k.created_by'),
    lastUsedAt: 'u.last_used_at',
  }),
  joins: 'left join operational.organization_api_keys u on u.key_id = k.key_id',
});
