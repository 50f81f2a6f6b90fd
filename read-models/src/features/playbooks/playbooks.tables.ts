import { int, orNull, text, texts, timestamp, uuid } from '../../kernel/columns.ts';
import { readOne, readPage } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';

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

const PLAYBOOK = `p.playbook_id as id, p.title, p.description, p.steps, p.category, p.tags,
  p.estimated_duration as "estimatedDuration", p.version, p.created_at as "createdAt"`;

export const readPlaybooks = readPage('playbooks', {
  table: 'read_model.playbooks',
  as: 'p',
  at: 'created_at',
  id: 'playbook_id',
  where: 'p.deleted_at is null',
  select: PLAYBOOK,
});

export const readPlaybook = readOne(
  'playbook',
  { id: 'uuid' },
  `select ${PLAYBOOK} from read_model.playbooks p
   where p.organization_id = me.organization_id and p.deleted_at is null and p.playbook_id = p_id`,
);
