import { openPool } from '@tallyhand/service-kit/postgres/pool';
import { registerOrganization } from '@tallyhand/test-kit/api-client';
import { vi } from 'vitest';
import type { TestProduct } from './product.ts';

/** The month before the last one: it has a statement whatever the time is. */
export function pastMonth(now = new Date()): string {
  const start = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 1);
  return new Date(start).toISOString().slice(0, 'YYYY-MM'.length);
}

/** The parameters without which calls are refused, by the call's name. */
export const neededQueries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  getAuditConsistency: { from: '1' },
  downloadAuditEvidence: { from: `${pastMonth()}-01`, to: `${pastMonth()}-28` },
  exportStatement: { month: pastMonth() },
  getStatementPdf: { month: pastMonth() },
  getStatementSignature: { month: pastMonth(), format: 'csv' },
};

/** A new organization that has statements. */
export async function earlierOrganization({ url, config }: Pick<TestProduct, 'url' | 'config'>) {
  const registered = await registerOrganization(url);
  await createdEarlier(config, registered.user.organization.id);
  return registered;
}

/** Lets an organization have statements from this month on: it was created a month before. */
export async function createdEarlier(
  { databaseUrl }: TestProduct['config'],
  organizationId: string,
  month = pastMonth(),
): Promise<void> {
  const pool = openPool(databaseUrl, 1);
  try {
    // The projector may not have written the row yet.
    await vi.waitUntil(async () => {
      const { rowCount } = await pool.query(
        `update read_model.organizations
         set registered_at = $2::timestamptz - interval '1 month' where organization_id = $1`,
        [organizationId, `${month}-01T00:00:00Z`],
      );
      return rowCount === 1;
    });
  } finally {
    await pool.end();
  }
}
