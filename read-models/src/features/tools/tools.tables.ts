import { credentialsRequired } from '../../kernel/dropped-credentials.ts';
import { readModel, readOne, readPage } from '../../kernel/read-model.ts';

/** No credential is here, only their names. */
export const toolsModel = readModel({
  name: 'tools',
  feature: 'tools',
  version: 2,
  tables: {
    tools: `
      tool_id uuid primary key,
      organization_id uuid not null,
      name text not null,
      description text not null,
      tool_type text not null,
      config jsonb not null,
      credential_names text[] not null,
      credentials_dropped jsonb,
      version int not null,
      created_at timestamptz not null,
      deleted_at timestamptz`,
  },
  indexes: [
    `create index on read_model.tools (organization_id, created_at, tool_id)
      where deleted_at is null`,
    `create index on read_model.tools (organization_id, deleted_at, tool_id)
      where deleted_at is not null`,
  ],
});

export type ToolsTable = {
  tool_id: string;
  organization_id: string;
  name: string;
  description: string;
  tool_type: string;
  config: string;
  credential_names: string[];
  credentials_dropped: string | null;
  version: number;
  created_at: string;
  deleted_at: string | null;
};

const TOOL = `t.tool_id as id, t.name, t.description, t.tool_type as type, t.config,
  t.credential_names as "credentialNames",
  ${credentialsRequired('t.tool_type', 't.config', 't.credentials_dropped')},
  t.version, t.created_at as "createdAt"`;

export const readTools = readPage('tools', {
  table: 'read_model.tools',
  as: 't',
  at: 'created_at',
  id: 'tool_id',
  where: 't.deleted_at is null',
  select: TOOL,
});

export const readTool = readOne(
  'tool',
  { id: 'uuid' },
  `select ${TOOL} from read_model.tools t
   where t.organization_id = me.organization_id and t.deleted_at is null and t.tool_id = p_id`,
);
