import { journalLines, POSTINGS } from '@tallyhand/contracts/kernel/postings';
import { linkHash } from '../crypto/hash-chain.ts';
import type { Manifest, TrialBalance } from './manifest.ts';
import type { AuditRow } from './row.ts';

type Totals = { debits: number; credits: number };

/**
 * Follows the ledger's chain through the exported rows, from the opening balance to the closing one,
 * and adds up what they post. The result is meaningful only if no row between them was left out.
 */
export class LedgerFollower {
  readonly #manifest: Manifest;
  #rows = 0;
  #links = 0;
  #head: string;
  readonly #posted = new Map<string, Totals>();
  /** The first row of a type that a newer release may know. */
  #unknown: number | null = null;

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
    this.#post(row);
  }

  #post({ sequence, type, data: { amount } }: AuditRow): void {
    if (!isPosted(type) || (POSTINGS[type] && typeof amount !== 'number')) {
      this.#unknown ??= sequence;
      return;
    }
    for (const { account, debit, credit } of journalLines(POSTINGS[type], Number(amount))) {
      const totals = this.#posted.get(account) ?? { debits: 0, credits: 0 };
      totals.debits += debit;
      totals.credits += credit;
      this.#posted.set(account, totals);
    }
  }

  /** The first row that could not be added up. */
  get unknownRow(): number | null {
    return this.#unknown;
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

  /** Accounts whose closing balance is not the opening one and what the rows post. */
  postingFaults(): string[] {
    const { opening, closing } = this.#manifest.ledger;
    if (this.#unknown !== null) return [];
    const names = new Set([...this.#posted.keys(), ...closing.accounts.map((one) => one.account)]);
    return [...names].flatMap((account) => {
      const [before, posted, after] = [
        balanceOf(opening, account),
        this.#posted.get(account) ?? NOTHING,
        balanceOf(closing, account),
      ];
      const debits = before.debits + posted.debits;
      const credits = before.credits + posted.credits;
      if (debits === after.debits && credits === after.credits) return [];
      return [
        `The account ${account} has ${after.debits} in debits and ${after.credits} in credits in the closing trial balance, but its rows come to ${debits} and ${credits}.`,
      ];
    });
  }
}

const NOTHING: Totals = { debits: 0, credits: 0 };
const balanceOf = ({ accounts }: TrialBalance, account: string): Totals =>
  accounts.find((one) => one.account === account) ?? NOTHING;
const isPosted = (type: string): type is keyof typeof POSTINGS => Object.hasOwn(POSTINGS, type);

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
