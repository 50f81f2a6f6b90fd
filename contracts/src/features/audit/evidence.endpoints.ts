import { z } from 'zod';
import { AUDIT_READERS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { AuditSignerUnavailable } from './audit-exports.refusals.ts';

/** The longest period of an evidence pack, its last day included. */
export const EVIDENCE_DAYS_MAX = 400;

function Day(name: string) {
  const message = `${name} must be a day, as 2026-10-01`;
  // PostgreSQL has no year 0.
  return z.iso.date(message).regex(/^(?!0000)/, message);
}

export const downloadAuditEvidence = endpoint({
  name: 'downloadAuditEvidence',
  method: 'GET',
  path: '/api/audit/evidence',
  access: AUDIT_READERS,
  feature: 'audit',
  summary: 'Download an evidence pack',
  description:
    'Returns a signed ZIP file for a SOC 2 audit: who had access at the end of a period, and the changes of access, sign-ins and administration in it as CSV. Each row names its entry of the audit log. `npm run audit:verify` checks it.',
  query: z.strictObject({
    from: Day('from').meta({ description: 'The first day (UTC).', examples: ['2026-10-01'] }),
    to: Day('to').meta({
      description: `The last day (UTC), which is included. At most ${EVIDENCE_DAYS_MAX} days, and not in the future.`,
      examples: ['2026-10-31'],
    }),
  }),
  status: 200,
  media: 'application/zip',
  refusals: [AuditSignerUnavailable],
});
