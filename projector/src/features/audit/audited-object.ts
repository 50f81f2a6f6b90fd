import { eventsByCategory } from '@tallyhand/contracts/events';
import { PRIVATE } from '@tallyhand/contracts/features/audit/audit.endpoints';
import type { Actor } from '@tallyhand/contracts/kernel/envelope';
import { type Ciphertext, ciphertextFields } from '@tallyhand/contracts/kernel/ids';
import { searchVector } from '@tallyhand/service-kit/audit-words';
import { ERASED, UnreadableText } from '@tallyhand/service-kit/crypto/person-keys';
import type { Helpers } from '../../kernel/projection.ts';

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
    case 'rating':
      return (
        named('task', data.taskId) ??
        named('conversation', data.conversationId) ?? { kind: category, id }
      );
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

/** The field that names the person whose key encrypts the texts of a category. */
const PERSONS: Readonly<Record<string, string>> = {
  contact: 'personId',
  email: 'userId',
  invitation: 'invitationId',
  mailbox: 'mailboxId',
  rating: 'ratedBy',
  ticket: 'personId',
  user: 'userId',
};

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Kind = { readonly type: string; readonly schema: Parameters<typeof ciphertextFields>[0] };

/** The ciphertext fields by event type. */
const personalFields = new Map(
  Object.values(eventsByCategory)
    .flatMap((kinds) => Object.values<Kind>(kinds))
    .map(({ type, schema }) => [type, ciphertextFields(schema)]),
);

/** The personal values of an event, by their path in an exported row. */
export type PersonalValues = {
  /** Plain text, `erased`, or `private` if only the person may read it. */
  readonly revealed: Readonly<Record<string, string>>;
  /** The keys that prove plain texts. Texts from before such keys have none. */
  readonly textKeys: Readonly<Record<string, string>>;
};

/** Unreadable values are omitted. */
export async function personalValues(
  { category, event }: { readonly category: string; readonly event: Audited },
  open: Helpers['open'],
): Promise<PersonalValues> {
  const { actor, sourceAddress } = event.envelope;
  const person = PERSONS[category];
  const revealed: Record<string, string> = {};
  const textKeys: Record<string, string> = {};
  const read = async (path: string, personId: unknown, text: string) => {
    const opened = await openFor(open, personId, text);
    if (!opened) return;
    revealed[path] = opened.text;
    if (opened.key) textKeys[path] = opened.key;
  };
  for (const name of personalFields.get(event.type) ?? []) {
    const text = event.data[name];
    if (typeof text !== 'string') continue;
    if (person) await read(`data.${name}`, event.data[person], text);
    else revealed[`data.${name}`] = PRIVATE;
  }
  // Without a signed-in actor, the address belongs to the member whose account it was about.
  if (sourceAddress) await read('sourceAddress', actor.id ?? memberOf(event), sourceAddress);
  return { revealed, textKeys };
}

function memberOf(event: Audited): string | null {
  const object = objectOf(event);
  return object.kind === 'member' ? object.id : null;
}

async function openFor(open: Helpers['open'], personId: unknown, text: string) {
  if (typeof personId !== 'string' || !ID.test(personId)) return null;
  try {
    return (await open(personId, text as Ciphertext)) ?? { text: ERASED, key: null };
  } catch (error) {
    // No key of this person decrypts it: the entry keeps only the ciphertext.
    if (error instanceof UnreadableText) return null;
    throw error;
  }
}

type Recorded = {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly envelope: { readonly organizationId: string | null; readonly correlationId: string };
};

/** The search vector of an entry. */
export const searchOf = (event: Recorded, revealed: PersonalValues['revealed']): string =>
  searchVector(event.envelope.organizationId ?? '', textsOf(event, revealed));

function* textsOf({ type, data, envelope }: Recorded, revealed: PersonalValues['revealed']) {
  yield type.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
  yield envelope.correlationId;
  yield* Object.values(revealed);
  for (const [name, value] of Object.entries(data)) {
    const isCiphertext = `data.${name}` in revealed;
    if (!isCiphertext && value !== envelope.organizationId) yield* leavesOf(value);
  }
}

/** Texts and numbers at any depth. */
function* leavesOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'number') yield String(value);
  else if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) yield* leavesOf(inner);
  }
}
