import { Playbook } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { int, text, texts, uuid } from '../../kernel/columns.ts';
import { readModel, table } from '../../kernel/read-model.ts';
import {
  versionedColumns,
  versionedIndexes,
  versionedObject,
} from '../../kernel/versioned-object.ts';

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
        ...versionedColumns,
      },
      indexes: versionedIndexes('playbook'),
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
  searched: ['o.title', 'o.description', 'o.category', `array_to_string(o.tags, E'\\n')`],
  filters: {
    category: { type: 'text', where: 'lower(o.category) = lower(p_category)' },
    tag: { type: 'text', where: 'lower(p_tag) = any(lower(o.tags::text)::text[])' },
  },
});
