import type { BodyOf } from '@tallyhand/contracts/kernel/endpoint';
import { entityTag } from '@tallyhand/contracts/kernel/entity-tag';
import { change, type Tag } from './api.ts';
import { type AnyEndpoint, type ArgOf, call } from './base-query.ts';

/** A versioned object in the state that the user saw. */
export type Seen = { readonly id: string; readonly version: number; readonly isActive?: boolean };

/**
 * A mutation of a versioned object by an editor. If the object is no longer as the user saw it, the
 * server refuses with 412, so that no editor overwrites another member's change.
 */
export const changeSeen = <E extends AnyEndpoint>(endpoint: E, tags: readonly Tag[] = []) => ({
  ...change(endpoint, tags),
  query: ({ seen, body }: { seen: Seen; body: BodyOf<E> }) => ({
    ...call(endpoint, { id: seen.id, ...(body as object) } as ArgOf<E>),
    ifMatch: entityTag(seen),
  }),
});
