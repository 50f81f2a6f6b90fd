import { z } from 'zod';
import { Ciphertext, Id, Instant } from './ids.ts';

/** Who caused an event. `visitor` is not signed in yet. */
export const Actor = z.object({
  /**
   * member, api-key, worker, reaction …; open, so that older readers accept kinds of newer writers.
   */
  kind: z.string(),
  id: z.string().optional(),
  signInId: Id.optional(),
});
export type Actor = z.infer<typeof Actor>;

/** A link of a chained stream. The first link has '' as `prev`. SHA-256, hex. */
export const Link = z.object({ prev: z.string(), hash: z.string() });
export type Link = z.infer<typeof Link>;

/** The metadata of every stored event. */
export const Envelope = z.object({
  schemaVersion: z.int().min(1),
  organizationId: Id.nullable(),
  actor: Actor,
  correlationId: z.string(),
  causationId: z.string().nullable(),
  commandId: Id,
  /** The caller's network address, encrypted with the acting person's key. */
  sourceAddress: Ciphertext.optional(),
  recordedAt: Instant,
  /** In ledgers: covers the event's id, type, data and the rest of this envelope. */
  link: Link.optional(),
});
export type Envelope = z.infer<typeof Envelope>;
