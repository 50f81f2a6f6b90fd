import { Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import { json, orNull, text, texts, uuid } from '../../kernel/columns.ts';
import { readModel, table } from '../../kernel/read-model.ts';
import {
  versionedColumns,
  versionedIndexes,
  versionedObject,
} from '../../kernel/versioned-object.ts';

/** Only the names of credentials. */
export const toolsModel = readModel({
  name: 'tools',
  feature: 'tools',
  version: 3,
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
        policies: orNull(json<unknown>()),
        credential_names: texts,
        credentials_dropped: orNull(json<unknown>()),
        ...versionedColumns,
      },
      indexes: versionedIndexes('tool'),
    }),
  },
});

/** Null for a tool that needs no credentials. */
const REQUIRED = `case when o.tool_type = 'custom'
  or (o.tool_type in ('api', 'mcp') and o.config->>'authType' <> 'none') then o.credentials_dropped end`;

/** The hosts that a tool reaches, each with and without its port. */
const HOSTS = `select unnest(array[h.host, regexp_replace(h.host, ':[0-9]+$', '')])
  from (select lower(substring(a.address from '^(?:[a-zA-Z]+://)?([^/?#]*)')) as host
    from (select case
        when o.tool_type in ('api', 'mcp') then o.config->>'baseUrl'
        when o.tool_type = 'browser' then o.config->'extras'->>'startUrl' end as address
      union all select jsonb_array_elements_text(case when o.tool_type = 'custom'
        then o.config->'allowedHosts' else '[]' end)) a) h`;

export const tools = versionedObject({
  kind: 'tool',
  view: Tool,
  table: toolsModel.tables.tools,
  columnOf: { type: 'tool_type' },
  computed: {
    credentialsRequired: REQUIRED,
  },
  inList: {},
  searched: ['o.name', 'o.description'],
  filters: {
    type: { type: 'text', where: 'o.tool_type = p_type' },
    host: { type: 'text', where: `lower(p_host) in (${HOSTS})` },
    needs_credentials: {
      type: 'boolean',
      where: `((${REQUIRED}) is not null) = p_needs_credentials`,
    },
  },
  asOf: {
    credential_names: `array(select jsonb_array_elements_text(s.state->'credentials'->'names'))`,
    credentials_dropped: `s.state->'credentials'->'dropped'`,
  },
});
