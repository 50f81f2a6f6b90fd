import { int, json, orNull, text, texts, timestamp, uuid } from '../../kernel/columns.ts';
import { credentialsRequired } from '../../kernel/dropped-credentials.ts';
import { readOne, readPage } from '../../kernel/read.ts';
import { readModel, table } from '../../kernel/read-model.ts';

/** No credential is here, only their names. */
export const toolsModel = readModel({
  name: 'tools',
  feature: 'tools',
  version: 2,
  tables: {
    tools: table({
      key: ['tool_id'],
      columns: {
        tool_id: uuid,
        organization_id: uuid,
        name: text,
        description: text,
        tool_type: text,
        config: json<string>(),
        credential_names: texts,
        credentials_dropped: orNull(json<string>()),
        version: int,
        created_at: timestamp,
        deleted_at: orNull(timestamp),
      },
      indexes: [
        '(organization_id, created_at, tool_id) where deleted_at is null',
        '(organization_id, deleted_at, tool_id) where deleted_at is not null',
      ],
    }),
  },
});

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
