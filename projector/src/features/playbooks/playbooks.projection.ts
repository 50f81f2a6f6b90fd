import { playbookEvents } from '@tallyhand/contracts/features/playbooks/playbooks.events';
import { playbooksModel } from '@tallyhand/read-models/features/playbooks/playbooks.tables';
import { deletedRow, restoredRow, rowProjection } from '../../kernel/row-projection.ts';

export const playbooksProjection = rowProjection({
  model: playbooksModel,
  kinds: playbookEvents,
  table: 'playbooks',
  idOf: ({ playbookId }) => playbookId,
  first: { PlaybookCreated: () => ({}) },
  next: {
    PlaybookChanged: 'by-name',
    PlaybookDeleted: deletedRow,
    PlaybookRestored: restoredRow,
  },
});
