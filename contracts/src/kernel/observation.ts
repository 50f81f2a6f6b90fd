import { z } from 'zod';
import { Id, Instant } from './ids.ts';

/** What a read must leave behind. Reads write nothing themselves, and wait for nobody who does. */
export const Observation = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('read-refused'),
    /** The name of the read in the contract. */
    call: z.string().max(100),
    /** Of the caller: a sign-in's id, or the digest of an API key. */
    credentialId: Id,
    isKey: z.boolean(),
    refusal: z.object({ code: z.string().max(100), params: z.record(z.string(), z.unknown()) }),
    address: z.string().max(100),
    correlationId: z.string().max(200),
  }),
  /** Somebody was here with this sign-in; told now and then, not at each read. */
  z.object({ kind: z.literal('seen'), signInId: Id, at: Instant }),
  /** Reads with an API key since the last observation of it. */
  z.object({ kind: z.literal('key-used'), credentialId: Id, count: z.int().min(1) }),
]);
export type Observation = z.infer<typeof Observation>;
