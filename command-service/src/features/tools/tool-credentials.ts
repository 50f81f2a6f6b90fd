import type { Kit } from '../../kit/app.ts';

type Credentials = Readonly<Record<string, string>>;

/** The credentials of tools, encrypted at rest. They never leave the process but to the tool's own host. */
export function toolCredentials({ pool, box }: Pick<Kit, 'pool' | 'box'>) {
  const contextOf = (toolId: string, id: string) => `tool-credentials ${toolId} ${id}`;
  return {
    /** Keeps credentials under an id that the tool's event names. May be repeated. */
    async keep(organizationId: string, toolId: string, id: string, credentials: Credentials) {
      const sealed = box.seal(Buffer.from(JSON.stringify(credentials)), contextOf(toolId, id));
      await pool.query(
        `insert into operational.tool_credentials (credentials_id, tool_id, organization_id, sealed)
         values ($1, $2, $3, $4) on conflict (credentials_id) do nothing`,
        [id, toolId, organizationId, sealed],
      );
    },
    /** Forgets all of a tool but the ones that its newest event names. */
    async forgetOthers(toolId: string, id: string | null) {
      await pool.query(
        `delete from operational.tool_credentials
         where tool_id = $1 and credentials_id is distinct from $2`,
        [toolId, id],
      );
    },
    async read(toolId: string, id: string | null): Promise<Credentials> {
      if (!id) return {};
      const { rows } = await pool.query<{ sealed: Buffer }>(
        'select sealed from operational.tool_credentials where credentials_id = $1 and tool_id = $2',
        [id, toolId],
      );
      const sealed = rows[0]?.sealed;
      if (!sealed) throw new Error(`The credentials of tool ${toolId} are missing`);
      return JSON.parse(box.open(sealed, contextOf(toolId, id)).toString('utf8'));
    },
  };
}
