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
  indexes: ['create index on read_model.tools (organization_id, created_at desc, tool_id desc)'],
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

const TOOL = `
  select tool_id as id, name, description, tool_type as type, config,
    credential_names as "credentialNames",
    ${credentialsRequired('tool_type', 'config', 'credentials_dropped')},
    version, created_at as "createdAt"
  from read_model.tools
  where organization_id = me.organization_id and deleted_at is null`;

export const readTools = readPage('tools', TOOL);

export const readTool = readOne('tool', { id: 'uuid' }, `${TOOL} and tool_id = p_id`);
