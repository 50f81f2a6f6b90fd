import type { Actor } from '@tallyhand/contracts/kernel/envelope';

/** The parts of a stored event that an entry is built from. */
export type Audited = {
  readonly type: string;
  readonly stream: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly envelope: {
    readonly organizationId: string | null;
    readonly actor: Actor;
    readonly sourceAddress?: string | undefined;
  };
};

export type AuditedObject = { readonly kind: string; readonly id: string };

/** The category and the id of a stream: the name up to the first `-`, and the rest. */
export function partsOf(stream: string): { readonly category: string; readonly id: string } {
  const end = stream.indexOf('-');
  if (end === -1) return { category: stream, id: '' };
  return { category: stream.slice(0, end), id: stream.slice(end + 1) };
}

/** The object of an event: from its stream, or from its data where that is more specific. */
export function objectOf({
  stream,
  data,
  envelope,
}: Pick<Audited, 'stream' | 'data' | 'envelope'>): AuditedObject {
  const { category, id } = partsOf(stream);
  const named = (kind: string, value: unknown): AuditedObject | null =>
    typeof value === 'string' ? { kind, id: value } : null;
  const organization = { kind: 'organization', id: envelope.organizationId ?? id };
  switch (category) {
    case 'ledger':
      return of(data.work) ?? named('payment', data.paymentId) ?? of(data.scope) ?? organization;
    case 'organization':
    case 'email':
      return named('member', data.userId) ?? organization;
    case 'user':
      return { kind: 'member', id };
    // A failed sign-in is about the member whose account it was.
    case 'audit':
      return named('apikey', data.keyId) ?? memberIn(data.params) ?? organization;
    default:
      return { kind: category, id };
  }
}

/** The member that a refused call names, if any. */
function memberIn(params: unknown): AuditedObject | null {
  const { userId } = (params ?? {}) as Readonly<Record<string, unknown>>;
  return typeof userId === 'string' ? { kind: 'member', id: userId } : null;
}

/** A pair of kind and id, as in events. */
function of(value: unknown): AuditedObject | null {
  const { kind, id } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return typeof kind === 'string' && typeof id === 'string' ? { kind, id } : null;
}
