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
    'create index on read_model.playbooks (organization_id, created_at desc, playbook_id desc)',
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

const PLAYBOOK = `
  select playbook_id as id, title, description, steps, category, tags,
    estimated_duration as "estimatedDuration", version, created_at as "createdAt"
  from read_model.playbooks
  where organization_id = me.organization_id and deleted_at is null`;

export const readPlaybooks = readPage('playbooks', PLAYBOOK);

export const readPlaybook = readOne(
  'playbook',
  { id: 'uuid' },
  `${PLAYBOOK} and playbook_id = p_id`,
);
