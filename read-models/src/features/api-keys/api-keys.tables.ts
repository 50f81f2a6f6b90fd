import { person } from '../../kernel/charges.ts';
import { readModel, readPage } from '../../kernel/read-model.ts';

export const apiKeysModel = readModel({
  name: 'api-keys',
  feature: 'api-keys',
  version: 1,
  tables: {
    api_keys: `
      key_id uuid primary key,
      organization_id uuid not null,
      name text not null,
      role text not null,
      created_by uuid not null,
      created_at timestamptz not null,
      expires_at timestamptz,
      is_revoked boolean not null`,
  },
  indexes: ['create index on read_model.api_keys (organization_id, created_at, key_id)'],
});

export type ApiKeysTable = {
  key_id: string;
  organization_id: string;
  name: string;
  role: string;
  created_by: string;
  created_at: string;
  expires_at: string | null;
  is_revoked: boolean;
};

/** When each was used is noted beside the rows that requests are checked by. */
export const readApiKeys = readPage('api_keys', {
  table: 'read_model.api_keys',
  as: 'k',
  at: 'created_at',
  id: 'key_id',
  select: `k.key_id as id, k.name, k.role,
     case when k.is_revoked then 'revoked' when k.expires_at <= now() then 'expired'
       else 'active' end as status,
     ${person('k.created_by')} as "createdBy", k.created_at as "createdAt",
     k.expires_at as "expiresAt", u.last_used_at as "lastUsedAt"`,
  joins: 'left join operational.organization_api_keys u on u.key_id = k.key_id',
});
