import { eventsByCategory } from '@tallyhand/contracts/events';
import { PRIVATE } from '@tallyhand/contracts/features/audit/audit.endpoints';
import { ciphertextFields } from '@tallyhand/contracts/kernel/ciphertext-fields';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import type { Helpers } from '../../kernel/projection.ts';
import { type Audited, objectOf } from './audited-object.ts';

/** Whose key a category's texts are under, by the field that names the person. */
const PERSONS: Readonly<Record<string, string>> = {
  contact: 'personId',
  email: 'userId',
  invitation: 'invitationId',
  mailbox: 'mailboxId',
  ticket: 'personId',
  user: 'userId',
};

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

type Kind = { readonly type: string; readonly schema: Parameters<typeof ciphertextFields>[0] };

/** The fields that hold ciphertext, by the type of the event. */
const personalFields = new Map(
  Object.values(eventsByCategory)
    .flatMap((kinds) => Object.values<Kind>(kinds))
    .map(({ type, schema }) => [type, ciphertextFields(schema)]),
);

/**
 * An event's personal values, by their path in an exported row: plain text, `erased`, or `private`
 * if only the person may read it. Unreadable values are left out.
 */
export async function personalValues(
  { category, event }: { readonly category: string; readonly event: Audited },
  reveal: Helpers['reveal'],
): Promise<Record<string, string>> {
  const { actor, sourceAddress } = event.envelope;
  const person = PERSONS[category];
  const values: Record<string, string> = {};
  for (const name of personalFields.get(event.type) ?? []) {
    const text = event.data[name];
    if (typeof text !== 'string') continue;
    const value = person ? await read(reveal, event.data[person], text) : PRIVATE;
    if (value !== null) values[`data.${name}`] = value;
  }
  if (sourceAddress) {
    // For visitors it is encrypted for the member whose account the event is about.
    const value = await read(reveal, actor.id ?? memberOf(event), sourceAddress);
    if (value !== null) values.sourceAddress = value;
  }
  return values;
}

function memberOf(event: Audited): string | null {
  const object = objectOf(event);
  return object.kind === 'member' ? object.id : null;
}

async function read(reveal: Helpers['reveal'], personId: unknown, text: string) {
  if (typeof personId !== 'string' || !ID.test(personId)) return null;
  try {
    return await reveal(personId, text as Ciphertext);
  } catch (error) {
    // No key of this person's fits: the entry is kept, with the ciphertext alone.
    if (String((error as { code?: unknown }).code).startsWith('ERR_JW')) return null;
    throw error;
  }
}
