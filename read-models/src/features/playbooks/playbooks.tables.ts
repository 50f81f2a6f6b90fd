import { Playbook } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { int, orNull, text, texts, timestamp, uuid } from '../../kernel/columns.ts';
import { readModel, table } from '../../kernel/read-model.ts';
import { versionedObject } from '../../kernel/versioned-object.ts';

export const playbooksModel = readModel({
  name: 'playbooks',
  feature: 'playbooks',
  version: 1,
  tables: {
    playbooks: table({
      key: ['playbook_id'],
      columns: {
        playbook_id: uuid,
        organization_id: uuid,
        title: text,
        description: text,
        steps: texts,
        category: text,
        tags: texts,
        estimated_duration: int,
        version: int,
        created_at: timestamp,
        deleted_at: orNull(timestamp),
      },
      indexes: [
        '(organization_id, created_at, playbook_id) where deleted_at is null',
        '(organization_id, deleted_at, playbook_id) where deleted_at is not null',
      ],
    }),
  },
});

export const playbooks = versionedObject({
  kind: 'playbook',
  view: Playbook,
  table: playbooksModel.tables.playbooks,
  columnOf: {},
  computed: {},
  inList: {},
});
