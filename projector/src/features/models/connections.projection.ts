import { connectionEvents } from '@tallyhand/contracts/features/models/models.events';
import { connectionsModel } from '@tallyhand/read-models/features/models/connections.tables';
import { deletedRow, restoredRow, rowProjection } from '../../kernel/row-projection.ts';

export const connectionsProjection = rowProjection({
  model: connectionsModel,
  kinds: connectionEvents,
  table: 'connections',
  idOf: ({ connectionId }) => connectionId,
  first: { ConnectionCreated: () => ({}) },
  next: {
    ConnectionChanged: 'by-name',
    ConnectionDeleted: deletedRow,
    ConnectionRestored: restoredRow,
  },
});
