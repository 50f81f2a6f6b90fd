import { z } from 'zod';

/** Every id is a UUID: version 7 where it is new, version 8 where it is derived for idempotency. */
export const Id = z.uuid({ error: 'Must be an id (UUID)' });
export type Id = z.infer<typeof Id>;

/** A moment as ISO 8601 text in UTC, as `Date.toISOString` writes it. */
export const Instant = z.iso.datetime({ offset: true });

/** Text that only the holder of its person's key can read: a compact JWE. */
export const Ciphertext = z.string().min(1).brand<'Ciphertext'>();
export type Ciphertext = z.infer<typeof Ciphertext>;
