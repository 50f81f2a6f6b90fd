import type { Link } from '@tallyhand/contracts/kernel/envelope';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { linkHash } from '@tallyhand/service-kit/crypto/hash-chain';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import type { NewEvent } from '@tallyhand/service-kit/event-store/event-log';

export type Unlinked = { readonly event: EventValue; readonly at?: string | undefined };

/** An id that does not trigger a check of all ledgers. */
const ordinaryId = () => newId().replace(/000$/, '001');

/** Events of a ledger as the command service stores them, chained after `prev`. */
export function linked(organizationId: string, prev: string, events: readonly Unlinked[]) {
  let head = prev;
  return events.map(({ event, at = '2026-11-21T08:00:00.000Z' }): NewEvent & { link: Link } => {
    const envelope = {
      schemaVersion: 1,
      organizationId,
      actor: { kind: 'worker' as const },
      correlationId: 'correlation',
      causationId: null,
      commandId: newId(),
      recordedAt: at,
    };
    const unlinked = { id: ordinaryId(), type: event.type, data: event.data, envelope };
    const link = { prev: head, hash: linkHash(head, unlinked) };
    head = link.hash;
    return { ...unlinked, envelope: { ...envelope, link }, link };
  });
}
