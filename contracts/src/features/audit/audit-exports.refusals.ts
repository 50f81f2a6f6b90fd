import { refusal } from '../../kernel/refusal.ts';

export const ExportNotFinished = refusal(
  'export-not-finished',
  409,
  'Export not finished',
  (p: { status: 'queued' | 'running' | 'failed' }) =>
    p.status === 'failed'
      ? 'This export failed. Start it again.'
      : 'This export is not finished yet. Poll its status, and download it when it is finished.',
);
