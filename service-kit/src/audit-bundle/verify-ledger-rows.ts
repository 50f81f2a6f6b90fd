import { linkHash } from '../crypto/hash-chain.ts';
import type { Manifest, TrialBalance } from './manifest.ts';
import type { AuditRow } from './row.ts';

/**
 * Follows the ledger's chain through the exported rows, from the opening balance to the closing one.
 * That shows something only where no row between them was left out.
 */
export function ledgerFollower({ organization, ledger: { opening, closing } }: Manifest) {
  const stream = `ledger-${organization.id}`;
  let rows = 0;
  let links = 0;
  let head = opening.head?.hash ?? '';
  return {
    add(row: AuditRow): void {
      if (row.sequence <= opening.auditSequence || row.sequence > closing.auditSequence) return;
      rows += 1;
      if (row.stream !== stream) return;
      links += 1;
      head = linkHash(head, linkableOf(row, organization.id));
    },
    isWhole: () => rows === closing.auditSequence - opening.auditSequence,
    reachesClosing: () =>
      links === positionOf(closing) - positionOf(opening) && head === (closing.head?.hash ?? ''),
  };
}

const positionOf = ({ head }: TrialBalance) => head?.sequence ?? 0;

/** The event as its link covers it: fields that an envelope lacks are null in a row. */
function linkableOf(row: AuditRow, organizationId: string) {
  const { eventId: id, type, data, at: recordedAt, actor, sourceAddress } = row;
  const { schemaVersion, correlationId, causationId, commandId } = row;
  return {
    id,
    type,
    data,
    envelope: {
      schemaVersion,
      organizationId,
      correlationId,
      causationId,
      commandId,
      recordedAt,
      actor: { kind: actor.kind, id: actor.id ?? undefined, signInId: actor.signInId ?? undefined },
      sourceAddress: sourceAddress ?? undefined,
    },
  };
}

/** Faults within the balances themselves. */
export function balanceFaults({ ledger: { opening, closing }, treeSize }: Manifest): string[] {
  const faults: string[] = [];
  for (const [name, balance] of Object.entries({ opening, closing })) {
    const [debits, credits] = totalsOf(balance);
    if (debits !== credits) {
      faults.push(`The ${name} trial balance has ${debits} in debits but ${credits} in credits.`);
    }
  }
  const isInOrder =
    opening.auditSequence <= closing.auditSequence &&
    closing.auditSequence <= treeSize &&
    positionOf(opening) <= positionOf(closing);
  if (!isInOrder) faults.push('The opening trial balance comes after the closing one.');
  for (const { account, debits, credits } of opening.accounts) {
    const later = closing.accounts.find((other) => other.account === account);
    if (!later || later.debits < debits || later.credits < credits) {
      faults.push(`The account ${account} has less in the closing trial balance than before.`);
    }
  }
  return faults;
}

/** All debits and all credits of a trial balance. */
export function totalsOf({ accounts }: TrialBalance): [debits: number, credits: number] {
  const total = (side: 'debits' | 'credits') =>
    accounts.reduce((sum, account) => sum + account[side], 0);
  return [total('debits'), total('credits')];
}
