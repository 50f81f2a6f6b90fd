import {
  type PlaybookEvent,
  playbookEvents,
} from '@tallyhand/contracts/features/playbooks/playbooks.events';
import { playbooksModel } from '@tallyhand/read-models/features/playbooks/playbooks.tables';
import type { Row } from '@tallyhand/read-models/read-models';
import { projection, type Tx } from '../../kernel/projection.ts';

export const playbooksProjection = projection<PlaybookEvent>({
  model: playbooksModel,
  kinds: playbookEvents,
  on: {
    PlaybookCreated: (tx, data, { at }) =>
      tx
        .insertInto('playbooks')
        .values({
          playbook_id: data.playbookId,
          organization_id: data.organizationId,
          title: data.title,
          description: data.description,
          steps: data.steps,
          category: data.category,
          tags: data.tags,
          estimated_duration: data.estimatedDuration,
          version: data.version,
          created_at: at,
          deleted_at: null,
        })
        .execute(),
    PlaybookChanged: (tx, { playbookId, version, estimatedDuration, ...data }) => {
      const { title, description, steps, category, tags } = data;
      return change(tx, playbookId, {
        version,
        ...(title === undefined ? {} : { title }),
        ...(description === undefined ? {} : { description }),
        ...(steps === undefined ? {} : { steps }),
        ...(category === undefined ? {} : { category }),
        ...(tags === undefined ? {} : { tags }),
        ...(estimatedDuration === undefined ? {} : { estimated_duration: estimatedDuration }),
      });
    },
    PlaybookDeleted: (tx, { playbookId }, { at }) => change(tx, playbookId, { deleted_at: at }),
    PlaybookRestored: (tx, { playbookId }) => change(tx, playbookId, { deleted_at: null }),
  },
});

const change = (tx: Tx, playbookId: string, columns: Partial<Row<'playbooks'>>) =>
  tx.updateTable('playbooks').set(columns).where('playbook_id', '=', playbookId).execute();
