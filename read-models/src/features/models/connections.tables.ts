import { Connection } from '@tallyhand/contracts/features/models/models.endpoints';
import type { ModelPrice } from '@tallyhand/contracts/features/models/models.fields';
import { json, orNull, text, texts, uuid } from '../../kernel/columns.ts';
import { readModel, table } from '../../kernel/read-model.ts';
import {
  versionedColumns,
  versionedIndexes,
  versionedObject,
} from '../../kernel/versioned-object.ts';

/** API keys are in the vault; `key` says what one was entered for. */
export const connectionsModel = readModel({
  name: 'connections',
  feature: 'models',
  version: 2,
  tables: {
    connections: table({
      key: ['connection_id'],
      columns: {
        connection_id: uuid,
        organization_id: uuid,
        name: text,
        provider: text,
        base_url: text,
        models: texts,
        embedding_model: orNull(text),
        prices: json<readonly ModelPrice[]>(),
        key: orNull(json<{ readonly provider: string; readonly baseUrl: string }>()),
        ...versionedColumns,
      },
      indexes: versionedIndexes('connection'),
    }),
  },
});

const API_KEY = `case when o.key is null or o.key = 'null' then 'none'
  when o.key->>'provider' = o.provider and o.key->>'baseUrl' = o.base_url then 'stored'
  else 'required' end`;

export const connections = versionedObject({
  kind: 'connection',
  view: Connection,
  table: connectionsModel.tables.connections,
  columnOf: {},
  computed: { apiKey: API_KEY },
  inList: {},
  searched: ['o.name', 'o.base_url'],
  filters: { provider: { type: 'text', where: 'o.provider = p_provider' } },
});
