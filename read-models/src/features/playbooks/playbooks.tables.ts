import { readModel, readOne, readPage } from '../../kernel/read-model.ts';

export const playbooksModel = readModel({
  name: 'playbooks',
  feature: 'playbooks',
  version: 1,
  tables: {
    playbooks: `
      playbook_id uuid primary key,
      organization_id uuid not null,
      title text not null,
      description text not null,
      steps text[] not null,
      category text not null,
      tags text[] not null,
      estimated_duration int not null,
      version int not null,
      created_at timestamptz not null,
      deleted_at timestamptz`,
  },
  indexes: [
    `create index on read_model.playbooks (organization_id, created_at, playbook_id)
      where deleted_at is null`,
    `create index on read_model.playbooks (organization_id, deleted_at, playbook_id)
      where deleted_at is not null`,
  ],
});

export type PlaybooksTable = {
  playbook_id: string;
  organization_id: string;
  title: string;
  description: string;
  steps: string[];
  category: string;
  tags: string[];
  estimated_duration: number;
  version: number;
  created_at: string;
  deleted_at: string | null;
};

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
