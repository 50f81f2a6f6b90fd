import { z } from 'zod';
import { Id, Instant } from './ids.ts';

/** What a read must record. Reads write nothing themselves and do not wait for the writer. */
export const Observation = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('read-refused'),
    /** The name of the read in the contract. */
    call: z.string().max(100),
    /** The caller: a sign-in's id, or the digest of an API key. */
    credentialId: Id,
    isKey: z.boolean(),
    refusal: z.object({ code: z.string().max(100), params: z.record(z.string(), z.unknown()) }),
    address: z.string().max(100),
    correlationId: z.string().max(200),
  }),
  /** A read of an Auditor. It is answered only when this is recorded. */
  z.object({
    kind: z.literal('auditor-read'),
    call: z.string().max(100),
    params: z.record(z.string(), z.string()),
    credentialId: Id,
    isKey: z.boolean(),
    address: z.string().max(100),
    correlationId: z.string().max(200),
  }),
  /** The sign-in was used; reported from time to time, not at each read. */
  z.object({ kind: z.literal('seen'), signInId: Id, at: Instant }),
  /** Reads with an API key since its last observation. */
  z.object({ kind: z.literal('key-used'), credentialId: Id, count: z.int().min(1) }),
]);
export type Observation = z.infer<typeof Observation>;
