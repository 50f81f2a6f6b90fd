import { z } from 'zod';
import { Id, Instant } from './ids.ts';

/** The body of a change: some of the fields, at least one. Only what is sent changes. */
export function changeOf<S extends z.ZodRawShape>(fields: S) {
  return z
    .strictObject(fields)
    .partial()
    .refine((change) => Object.keys(change).length > 0, 'Send at least one field to change');
}

/** Without a version only a deletion is taken back. */
export const RestoreInput = z.strictObject({
  version: z.int('version must be a whole number').min(1, 'version must be at least 1').optional(),
});

/** One change of an object, newest first in lists. */
export const HistoryEntry = z.object({
  id: Id,
  /** In the organization's audit log: a place to ask how things were after it. */
  sequence: z.int().nullable(),
  /** The version that it led to; null where the texts stayed as they were. */
  version: z.int().nullable(),
  kind: z.enum([
    'created',
    'changed',
    'deleted',
    'restored',
    'paused',
    'activated',
    'resources-assigned',
    'credentials-dropped',
  ]),
  /** The version whose texts came back. */
  restoredFrom: z.int().nullable(),
  actor: z.object({ id: Id.nullable(), name: z.string().nullable() }),
  /** Field by field; texts longer than 2,000 characters are cut. */
  changes: z.array(
    z.object({ field: z.string(), before: z.json().nullable(), after: z.json().nullable() }),
  ),
  createdAt: Instant,
});
export type HistoryEntry = z.infer<typeof HistoryEntry>;
