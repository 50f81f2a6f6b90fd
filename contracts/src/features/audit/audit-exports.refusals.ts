import { refusal } from '../../kernel/refusal.ts';

export const AuditSignerUnavailable = refusal(
  'audit-signer-unavailable',
  503,
  'Audit signer unavailable',
  () =>
    "The audit log can't be signed at the moment. Nothing is lost: try again later, or ask the operator.",
);

export const ExportNotFinished = refusal(
  'export-not-finished',
  409,
  'Export not finished',
  (p: { status: 'queued' | 'running' | 'failed' }) =>
    p.status === 'failed'
      ? 'This export failed. Start it again.'
      : 'This export is not finished yet. Poll its status, and download it when it is finished.',
);

export const AuditLogDiffers = refusal(
  'audit-log-differs',
  409,
  'Audit log differs',
  (p: { first: number; last: number }) =>
    `Entries ${p.first} to ${p.last} of the audit log differ from what was computed or signed earlier. Ask the operator.`,
);
