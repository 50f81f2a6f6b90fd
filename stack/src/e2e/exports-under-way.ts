import { randomUUID } from 'node:crypto';
import type { AuditExport } from '@tallyhand/contracts/features/audit/audit-exports.endpoints';
import type { Route } from 'playwright';

/** Answers the list of exports with one that waits, one a quarter of which is made, and a failed one. */
export function exportsUnderWay(route: Route): Promise<void> {
  const statuses = ['queued', 'running', 'failed'] as const;
  const [createdAt, expiresAt] = [0, 7].map((days) =>
    new Date(Date.UTC(2026, 10, 21 + days, 9)).toISOString(),
  );
  const exports = statuses.map(
    (status): AuditExport => ({
      id: randomUUID(),
      status,
      format: 'ndjson',
      rows: 0,
      bytes: null,
      ...(status === 'failed' ? { filter: { kind: 'ledger', q: 'returns' } } : { filter: {} }),
      upTo: 120_000,
      done: status === 'running' ? 30_000 : 0,
      requestedBy: { id: randomUUID(), name: 'Anna Berg' },
      createdAt: createdAt ?? '',
      expiresAt: expiresAt ?? '',
    }),
  );
  return route.fulfill({ json: exports });
}
