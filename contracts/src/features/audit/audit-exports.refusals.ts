import { refusal } from '../../kernel/refusal.ts';

export const ExportNotFinished = refusal(
  'export-not-finished',
  409,
  'Export not finished',
  (p: { status: 'queued' | 'running' | 'failed' }) =>
    p.status === 'failed'
      ? 'This export could not be made. Start it again.'
      : 'This export is still being made. Ask for its state, and download it when it is finished.',
);
