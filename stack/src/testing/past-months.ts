import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import type { ApiClient } from '@tallyhand/test-kit/api-client';
import type { TestProduct } from './product.ts';

/** The month before the last one: it has a statement whatever the time is. */
export function pastMonth(now = new Date()): string {
  const start = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 1);
  return new Date(start).toISOString().slice(0, 'YYYY-MM'.length);
}

/** The parameters without which calls are refused, by the call's name. */
export const neededQueries: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  getAuditConsistency: { from: '1' },
  exportStatement: { month: pastMonth() },
  getStatementPdf: { month: pastMonth() },
  getStatementSignature: { month: pastMonth(), format: 'csv' },
};

/** Lets the caller's organization have statements. */
export async function registeredEarlier(
  config: TestProduct['config'],
  client: ApiClient,
): Promise<void> {
  const { id } = (await client.call<Organization>(getOrganization)).body;
  await createdEarlier(config, id);
}

/** Lets an organization have statements: it was created a month before `pastMonth`. */
export async function createdEarlier(
  { databaseUrl }: TestProduct['config'],
  organizationId: string,
): Promise<void> {
  const pool = openPool(databaseUrl, 1);
  try {
    await pool.query(
      `update read_model.organizations
       set registered_at = $2::timestamptz - interval '1 month' where organization_id = $1`,
      [organizationId, `${pastMonth()}-01T00:00:00Z`],
    );
  } finally {
    await pool.end();
  }
}
