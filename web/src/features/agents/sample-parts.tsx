import { laterPart } from '../../app/part.ts';

/** Adds the sample data when it is shown. */
export const AddSample = laterPart(
  ['problems', 'sample', 'templates'],
  async () => (await import('./sample-dialogs.tsx')).AddSample,
);

/** Removes the sample data after asking. */
export const RemoveSample = laterPart(
  ['problems', 'sample', 'templates'],
  async () => (await import('./sample-dialogs.tsx')).RemoveSample,
);
