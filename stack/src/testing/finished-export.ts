import {
  type AuditExport,
  getAuditExport,
  startAuditExport,
} from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import type { ApiClient } from '@tallyhand/test-kit/api-client';
import { expect } from 'vitest';

/** The id of an export of the whole log as CSV that is ready for download. */
export async function finishedExport(client: ApiClient): Promise<string> {
  const { id } = (await client.call<AuditExport>(startAuditExport, { body: { format: 'csv' } }))
    .body;
  const state = () => client.call<AuditExport>(getAuditExport, { params: { id } });
  await expect.poll(async () => (await state()).body.status).toBe('finished');
  return id;
}
