import { Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { int, json, orNull, text, texts, timestamp, uuid } from '../../kernel/columns.ts';
import { readModel, table } from '../../kernel/read-model.ts';
import { versionedObject } from '../../kernel/versioned-object.ts';

/** Only the names of credentials. */
export const toolsModel = readModel({
  name: 'tools',
  feature: 'tools',
  version: 2,
  tables: {
    tools: table({
      key: ['tool_id'],
      columns: {
        tool_id: uuid,
        organization_id: uuid,
        name: text,
        description: text,
        tool_type: text,
        config: json<unknown>(),
        credential_names: texts,
        credentials_dropped: orNull(json<unknown>()),
        version: int,
        created_at: timestamp,
        deleted_at: orNull(timestamp),
      },
      indexes: [
        '(organization_id, created_at, tool_id) where deleted_at is null',
        '(organization_id, deleted_at, tool_id) where deleted_at is not null',
      ],
    }),
  },
});

export const tools = versionedObject({
  kind: 'tool',
  view: Tool,
  table: toolsModel.tables.tools,
  columnOf: { type: 'tool_type' },
  computed: {
    // Null for a tool that needs no credentials.
    credentialsRequired: `case when o.tool_type = 'custom'
      or (o.tool_type = 'api' and o.config->>'authType' <> 'none') then o.credentials_dropped end`,
  },
  inList: {},
  asOf: {
    credential_names: `array(select jsonb_array_elements_text(s.state->'credentials'->'names'))`,
    credentials_dropped: `s.state->'credentials'->'dropped'`,
  },
});
