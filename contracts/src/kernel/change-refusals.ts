import { refusal } from './refusal.ts';

export const NotDeleted = refusal(
  'not-deleted',
  409,
  'Not deleted',
  (p: { what: string }) => `This ${p.what} is not deleted, so there is nothing to restore.`,
);
export const NoSuchVersion = refusal(
  'no-such-version',
  404,
  'No such version',
  (p: { what: string; version: number }) => `This ${p.what} has no version ${p.version}.`,
);
