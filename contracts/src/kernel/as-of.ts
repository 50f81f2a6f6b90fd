import { z } from 'zod';

const Sequence = z.string().regex(/^(0|[1-9]\d{0,14})$/);
const Moment = z.iso.datetime({ offset: true }).refine((text) => !text.startsWith('0000'));

/**
 * A point in the past: an entry of the organization's audit log, by its sequence (0: before the
 * first), or a moment.
 */
export const AsOf = z
  .union([
    Sequence.transform((text) => ({ sequence: Number(text), at: null })),
    Moment.transform((text) => ({ sequence: null, at: new Date(text).toISOString() })),
  ])
  .catch(null as never)
  .refine(Boolean, 'asOf must be a moment, as 2026-11-21T09:00:00Z, or a sequence of the audit log')
  .optional();
export type AsOf = NonNullable<z.infer<typeof AsOf>>;

/** The query of a call that can also answer for a point in the past. */
export const AsOfQuery = z.strictObject({ asOf: AsOf });
