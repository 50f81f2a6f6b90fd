import type { Kit } from '../../kit/app.ts';

/** What API keys are called; null for what is none of the organization's any more. */
export const keyNames =
  ({ pool }: Pick<Kit, 'pool'>) =>
  async (keyId: string, organizationId: string): Promise<string | null> => {
    const { rows } = await pool.query<{ name: string }>(
      `select name from operational.api_keys
       where key_id = $1 and organization_id = $2 and revoked_at is null`,
      [keyId, organizationId],
    );
    return rows[0]?.name ?? null;
  };
