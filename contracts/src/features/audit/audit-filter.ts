import { z } from 'zod';

type Given = { readonly actor?: string | undefined; readonly kind?: string | undefined };

/**
 * Interprets a filter's `actor` and `kind`: ids name people, and a leading capital names an event
 * type.
 */
export function meantBy({ actor, kind }: Given) {
  const isPerson = z.uuid().safeParse(actor).success;
  const isType = kind !== undefined && /^[A-Z]/.test(kind);
  return {
    actorId: isPerson ? (actor ?? null) : null,
    actorKind: isPerson ? null : (actor ?? null),
    category: isType ? null : (kind ?? null),
    type: isType ? kind : null,
  };
}
