import { z } from 'zod';
import { Id, Instant } from './ids.ts';

/** What a read must leave behind. Reads write nothing themselves, and wait for nobody who does. */
export const Observation = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('read-refused'),
    /** The name of the read in the contract. */
    call: z.string().max(100),
    signInId: Id,
    refusal: z.object({ code: z.string().max(100), params: z.record(z.string(), z.unknown()) }),
    address: z.string().max(100),
    correlationId: z.string().max(200),
  }),
  /** Somebody was here with this sign-in; told now and then, not at each read. */
  z.object({ kind: z.literal('seen'), signInId: Id, at: Instant }),
]);
export type Observation = z.infer<typeof Observation>;
