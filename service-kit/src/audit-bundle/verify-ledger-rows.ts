import { linkHash } from '../crypto/hash-chain.ts';
import type { Manifest, TrialBalance } from './manifest.ts';
import type { AuditRow } from './row.ts';

/**
 * Follows the ledger's chain through the exported rows, from the opening balance to the closing one.
 * The result is meaningful only if no row between them was left out.
 */
export class LedgerFollower {
  readonly #manifest: Manifest;
  #rows = 0;
  #links = 0;
  #head: string;

  constructor(manifest: Manifest) {
    this.#manifest = manifest;
    this.#head = manifest.ledger.opening.head?.hash ?? '';
  }

  add(row: AuditRow): void {
    const { organization, ledger } = this.#manifest;
    const { opening, closing } = ledger;
    if (row.sequence <= opening.auditSequence || row.sequence > closing.auditSequence) return;
    this.#rows += 1;
    if (row.stream !== `ledger-${organization.id}`) return;
    this.#links += 1;
    this.#head = linkHash(this.#head, linkableOf(row, organization.id));
  }

  isWhole(): boolean {
    const { opening, closing } = this.#manifest.ledger;
    return this.#rows === closing.auditSequence - opening.auditSequence;
  }

  reachesClosing(): boolean {
    const { opening, closing } = this.#manifest.ledger;
    const links = positionOf(closing) - positionOf(opening);
    return this.#links === links && this.#head === (closing.head?.hash ?? '');
  }
}

const positionOf = ({ head }: TrialBalance) => head?.sequence ?? 0;

/** The event as its link covers it: fields that an envelope lacks are null in a row. */
export function linkableOf(row: AuditRow, organizationId: string) {
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
