import { type ToolEvent, toolEvents } from '@tallyhand/contracts/features/tools/tools.events';
import { toolsModel } from '@tallyhand/read-models/features/tools/tools.tables';
import type { Row } from '@tallyhand/read-models/read-models';
import { projection, type Tx } from '../../kernel/projection.ts';

export const toolsProjection = projection<ToolEvent>({
  model: toolsModel,
  kinds: toolEvents,
  on: {
    ToolCreated: (tx, data, { at }) =>
      tx
        .insertInto('tools')
        .values({
          tool_id: data.toolId,
          organization_id: data.organizationId,
          name: data.name,
          description: data.description,
          tool_type: data.toolType,
          config: JSON.stringify(data.config),
          credential_names: data.credentials.names,
          credentials_dropped: null,
          version: data.version,
          created_at: at,
          deleted_at: null,
        })
        .execute(),
    ToolChanged: (tx, { toolId, version, name, description, toolType, config, credentials }) =>
      change(tx, toolId, {
        version,
        ...(name === undefined ? {} : { name }),
        ...(description === undefined ? {} : { description }),
        ...(toolType === undefined ? {} : { tool_type: toolType }),
        ...(config === undefined ? {} : { config: JSON.stringify(config) }),
        ...(credentials === undefined ? {} : namesOf(credentials)),
      }),
    ToolCredentialsDropped: (tx, { toolId, credentials }) =>
      change(tx, toolId, {
        credential_names: credentials.names,
        credentials_dropped: JSON.stringify(credentials.dropped),
      }),
    ToolDeleted: (tx, { toolId }, { at }) => change(tx, toolId, { deleted_at: at }),
    ToolRestored: (tx, { toolId }) => change(tx, toolId, { deleted_at: null }),
  },
});

const namesOf = ({ names }: { readonly names: string[] }) => ({
  credential_names: names,
  credentials_dropped: null,
});

const change = (tx: Tx, toolId: string, columns: Partial<Row<'tools'>>) =>
  tx.updateTable('tools').set(columns).where('tool_id', '=', toolId).execute();
