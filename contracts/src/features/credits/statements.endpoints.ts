import { z } from 'zod';
import { AUDIT_READERS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Instant } from '../../kernel/ids.ts';
import { StatementNotReady, StatementNotSigned } from './statements.refusals.ts';

/** The figures of a month are final this long after its end: until then entries may arrive. */
export const STATEMENT_AFTER_MINUTES = 5;

const A_MONTH = 'month must be a month, as 2026-10';
/** A calendar month in UTC. */
const Month = z
  .string(A_MONTH)
  .regex(/^(?!0000)\d{4}-(0[1-9]|1[0-2])$/, A_MONTH)
  .meta({ description: 'A calendar month (UTC) that has ended.', examples: ['2026-10'] });

export const STATEMENT_FORMATS = ['pdf', 'csv'] as const;
export type StatementFormat = (typeof STATEMENT_FORMATS)[number];

/** A month whose statement can be made. */
export const Statement = z.object({
  /** A calendar month in UTC, as 2026-10. */
  month: z.string(),
  startsAt: Instant,
  /** The first moment after the month. */
  endsAt: Instant,
});
export type Statement = z.infer<typeof Statement>;

/** A detached signature of a statement by the key that signs audit logs. */
export const StatementSignature = z.object({
  /** Five lines: what it is, the organization, the month, the format, and the SHA-256 (hex). */
  text: z.string(),
  keyId: z.string(),
  /** Ed25519 over `text`, base64. */
  signature: z.string(),
});
export type StatementSignature = z.infer<typeof StatementSignature>;

const feature = 'credits';

export const listStatements = endpoint({
  name: 'listStatements',
  method: 'GET',
  path: '/api/billing/statements',
  access: AUDIT_READERS,
  feature,
  summary: 'List statements',
  description:
    'Returns the months that have a statement, newest first: each calendar month (UTC) that has ended since the organization was created.',
  status: 200,
  answer: z.array(Statement),
  answerExample: [
    { month: '2026-10', startsAt: '2026-10-01T00:00:00.000Z', endsAt: '2026-11-01T00:00:00.000Z' },
  ],
});
export const exportStatement = endpoint({
  name: 'exportStatement',
  method: 'GET',
  path: '/api/billing/statements/export',
  access: AUDIT_READERS,
  feature,
  summary: 'Export a statement',
  description:
    'Returns the statement of a month as CSV: balances and movements of credits, what was paid, and the deferred revenue of unused credits. The same month has the same bytes.',
  query: z.strictObject({ month: Month }),
  status: 200,
  media: 'text/csv',
  refusals: [StatementNotReady],
});
export const getStatementPdf = endpoint({
  name: 'getStatementPdf',
  method: 'GET',
  path: '/api/billing/statements/pdf',
  access: AUDIT_READERS,
  feature,
  summary: 'Download a statement',
  description: 'Returns the statement of a month as a PDF file. The same month has the same bytes.',
  query: z.strictObject({ month: Month }),
  status: 200,
  media: 'application/pdf',
  refusals: [StatementNotReady],
});
export const getStatementSignature = endpoint({
  name: 'getStatementSignature',
  method: 'GET',
  path: '/api/billing/statements/signature',
  access: AUDIT_READERS,
  feature,
  summary: 'Retrieve the signature of a statement',
  description:
    'Returns the detached signature of a statement in one of its formats. `npm run audit:verify` checks it with the published key history.',
  query: z.strictObject({
    month: Month,
    format: z.enum(STATEMENT_FORMATS, {
      error: `format must be ${STATEMENT_FORMATS.join(' or ')}`,
    }),
  }),
  status: 200,
  answer: StatementSignature,
  answerExample: {
    text: 'tallyhand statement\n0193a1b2-0000-7000-8000-000000000003\n2026-10\npdf\n3b7f2a9c5d1e48607f93b2c4d6e8a0125c7e9f1b3d5a78604e2c9b1d7f3a5e80\n',
    keyId: '8c1f0a2b3d4e5f60',
    signature:
      'eEqJ7YgXBvQF2u0c1nL8m5s9w3kz6pT4rHdV0yGfKJqAaXcWbNeMhUiOoRtPl1SDZ2xC7vB3nM4kL5jH6gF7Aw==',
  },
  refusals: [StatementNotReady, StatementNotSigned],
});
