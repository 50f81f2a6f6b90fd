import { z } from 'zod';
import { Id, Instant } from './ids.ts';

/** Any JSON value; not checked, because it is only answered. */
export const Json = z.unknown().meta({ description: 'Any JSON value.' }) as z.ZodType<
  z.infer<ReturnType<typeof z.json>>
>;

/** The body of a change: at least one of the fields. Fields that are not sent stay unchanged. */
export function changeOf<S extends z.ZodRawShape>(fields: S) {
  return z
    .strictObject(fields)
    .partial()
    .refine((change) => Object.keys(change).length > 0, 'Send at least one field to change');
}

/** Without a version, only a deletion is undone. */
export const RestoreInput = z.strictObject({
  version: z.int('version must be a whole number').min(1, 'version must be at least 1').optional(),
});

/** One change of an object. Lists are newest first. */
export const HistoryEntry = z.object({
  id: Id,
  /** Sequence in the organization's audit log, for use as `asOf`. */
  sequence: z.int().nullable(),
  /** The version that resulted; null if the texts did not change. */
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
  /** The version whose texts were restored. */
  restoredFrom: z.int().nullable(),
  actor: z.object({ id: Id.nullable(), name: z.string().nullable() }),
  /** The changed fields; texts longer than 2,000 characters are truncated. */
  changes: z.array(
    z.object({ field: z.string(), before: Json.nullable(), after: Json.nullable() }),
  ),
  createdAt: Instant,
});
export type HistoryEntry = z.infer<typeof HistoryEntry>;
