import { toolEvents } from '@tallyhand/contracts/features/tools/tools.events';
import { toolsModel } from '@tallyhand/read-models/features/tools/tools.tables';
import { deletedRow, restoredRow, rowProjection } from '../../kernel/row-projection.ts';

export const toolsProjection = rowProjection({
  model: toolsModel,
  kinds: toolEvents,
  table: 'tools',
  idOf: ({ toolId }) => toolId,
  first: { ToolCreated: ({ credentials }) => ({ credential_names: credentials.names }) },
  next: {
    ToolChanged: (_row, { credentials }, { named }) =>
      credentials
        ? { ...named, credential_names: credentials.names, credentials_dropped: null }
        : named,
    ToolCredentialsDropped: (_, { credentials }) => ({
      credential_names: credentials.names,
      credentials_dropped: credentials.dropped,
    }),
    ToolDeleted: deletedRow,
    ToolRestored: restoredRow,
  },
});
