import type { LedgerCommand } from '@tallyhand/contracts/features/credits/credits.commands';
import type { LedgerEvent } from '@tallyhand/contracts/features/credits/credits.events';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';

type Line = {
  readonly amount: number;
  readonly agentId: string;
  readonly memberId: string | null;
  readonly month: string;
  expiresAt: string;
  state: 'open' | 'charged' | 'released' | 'expired' | 'refunded' | 'unbilled' | 'charged-late';
};

/** Lines that have taken credits out of what can be spent. */
const TAKING = ['open', 'charged', 'charged-late'];

/** What a caller learns, in one form for both ledgers: the refusal's code, or events and amounts. */
export function outcomeText(decided: readonly LedgerEvent[] | Refusal): string {
  if (isRefusal(decided)) return decided.code;
  return decided
    .map(({ type, data }) => ('amount' in data ? `${type} ${data.amount}` : type))
    .join(', ');
}

/** The ledger as kept on paper: lists, and totals computed each time. */
export class PaperLedger {
  private readonly grants = new Map<string, number>();
  private readonly adjustments = new Map<string, number>();
  private readonly payments = new Map<string, { amount: number; reversed: number }>();
  private readonly lines = new Map<string, Line>();
  private readonly limits = new Map<string, number>();

  get available() {
    let sum = 0;
    for (const amount of this.grants.values()) sum += amount;
    for (const amount of this.adjustments.values()) sum += amount;
    for (const { amount, reversed } of this.payments.values()) sum += amount - reversed;
    for (const { amount, state } of this.lines.values()) if (TAKING.includes(state)) sum -= amount;
    return sum;
  }

  copy(): PaperLedger {
    const copy = new PaperLedger();
    for (const name of ['grants', 'adjustments', 'limits'] as const) {
      for (const [id, amount] of this[name]) copy[name].set(id, amount);
    }
    for (const [id, payment] of this.payments) copy.payments.set(id, { ...payment });
    for (const [id, line] of this.lines) copy.lines.set(id, { ...line });
    return copy;
  }

  /** Carries out a command that arrives at `at`, and says what its caller learns. */
  take({ type, data }: LedgerCommand, at: string): string {
    switch (type) {
      case 'GrantCredits':
        return this.once(this.grants, data.grantId, data.amount, 'CreditsGranted');
      case 'PostAdjustment':
        return this.once(this.adjustments, data.adjustmentId, data.amount, 'AdjustmentPosted');
      case 'PurchaseCredits': {
        const known = this.payments.get(data.paymentId);
        if (known) return known.amount === data.amount ? '' : 'purchase-differs';
        this.payments.set(data.paymentId, { amount: data.amount, reversed: 0 });
        return `CreditsPurchased ${data.amount}`;
      }
      case 'ReversePayment':
        return this.reverse(data.paymentId, data.reversed);
      case 'ReserveCredits':
        return this.reserve({ ...data, parts: [data] }, at.slice(0, 7));
      case 'ReserveCreditsTogether':
        return this.reserve(data, at.slice(0, 7));
      case 'ExtendReservation':
        return this.extend(data.reservationId, data.expiresAt);
      case 'ChargeCredits':
        return this.charge(data.reservationId, at.slice(0, 7));
      case 'ReleaseReservation':
        return this.end(data.reservationId, 'released', 'ReservationReleased');
      case 'ExpireReservation':
        return this.expire(data.reservationId, data.at);
      case 'RefundCharge':
        return this.refund(data.reservationId);
      case 'SetSpendLimit': {
        const key = `${data.scope.kind}:${data.scope.id}`;
        if ((this.limits.get(key) ?? null) === data.monthlyCredits) return '';
        if (data.monthlyCredits === null) this.limits.delete(key);
        else this.limits.set(key, data.monthlyCredits);
        return 'SpendLimitSet';
      }
    }
  }

  private once(list: Map<string, number>, id: string, amount: number, event: string) {
    if (list.has(id)) return '';
    list.set(id, amount);
    return `${event} ${amount}`;
  }

  private reverse(paymentId: string, reversed: number) {
    const payment = this.payments.get(paymentId);
    if (!payment) return reversed === 0 ? '' : 'purchase-not-found';
    if (reversed > payment.amount) return 'reversal-too-large';
    const change = reversed - payment.reversed;
    payment.reversed = reversed;
    if (change === 0) return '';
    return change > 0 ? `PaymentReversed ${change}` : `PaymentReinstated ${-change}`;
  }

  /** All parts, or none. */
  private reserve(
    {
      parts,
      agentId,
      memberId,
      expiresAt,
    }: Extract<LedgerCommand, { type: 'ReserveCreditsTogether' }>['data'],
    month: string,
  ): string {
    for (const { reservationId, amount } of parts) {
      const known = this.lines.get(reservationId);
      if (known?.state === 'expired' || known?.state === 'charged-late') {
        return 'reservation-expired';
      }
      if (known && known.state !== 'open' && known.state !== 'charged')
        return 'reservation-settled';
      if (known && known.amount !== amount) return 'reservation-differs';
    }
    const missing = parts.filter(({ reservationId }) => !this.lines.has(reservationId));
    if (missing.length === 0) return '';
    const total = missing.reduce((sum, { amount }) => sum + amount, 0);
    if (total > this.available) return 'insufficient-credits';
    const over = (key: string, isOwn: (line: Line) => boolean) => {
      const limit = this.limits.get(key);
      return limit !== undefined && this.spent(month, isOwn) + total > limit;
    };
    if (over(`agent:${agentId}`, (line) => line.agentId === agentId)) return 'spend-limit-reached';
    if (memberId && over(`member:${memberId}`, (line) => line.memberId === memberId)) {
      return 'spend-limit-reached';
    }
    for (const { reservationId, amount } of missing) {
      const line = { amount, agentId, memberId, month, expiresAt, state: 'open' as const };
      this.lines.set(reservationId, line);
    }
    return missing.map(({ amount }) => `CreditsReserved ${amount}`).join(', ');
  }

  /** Only the newest month in which anything was set aside is limited. */
  private spent(month: string, isOwn: (line: Line) => boolean) {
    const lines = [...this.lines.values()];
    if (lines.some((line) => line.month > month)) return 0;
    return lines
      .filter((line) => line.month === month && TAKING.includes(line.state) && isOwn(line))
      .reduce((sum, { amount }) => sum + amount, 0);
  }

  private extend(id: string, expiresAt: string) {
    const line = this.lines.get(id);
    if (!line) return 'reservation-not-found';
    if (line.state === 'expired' || line.state === 'charged-late') return 'reservation-expired';
    if (line.state !== 'open') return 'reservation-settled';
    if (expiresAt <= line.expiresAt) return '';
    line.expiresAt = expiresAt;
    return 'ReservationExtended';
  }

  private charge(id: string, month: string) {
    const line = this.lines.get(id);
    if (line?.state === 'charged-late' || line?.state === 'unbilled') return '';
    if (line?.state !== 'expired') return this.end(id, 'charged', 'CreditsCharged');
    if (line.amount > this.available) {
      line.state = 'unbilled';
      return `UnbilledUsageRecorded ${line.amount}`;
    }
    this.lines.set(id, { ...line, month, state: 'charged-late' });
    return `CreditsReserved ${line.amount}, CreditsCharged ${line.amount}`;
  }

  private end(id: string, state: Line['state'], event: string) {
    const line = this.lines.get(id);
    if (!line) return 'reservation-not-found';
    if (line.state === state) return '';
    if (line.state === 'expired' || line.state === 'charged-late') {
      return state === 'released' ? '' : 'reservation-expired';
    }
    if (line.state !== 'open') return 'reservation-settled';
    line.state = state;
    return `${event} ${line.amount}`;
  }

  private expire(id: string, at: string) {
    const line = this.lines.get(id);
    if (line?.state === 'charged-late') return '';
    if (line?.state === 'open' && line.expiresAt > at) return '';
    return this.end(id, 'expired', 'ReservationExpired');
  }

  private refund(id: string) {
    const line = this.lines.get(id);
    if (line?.state === 'refunded') return '';
    if (line?.state !== 'charged') return 'charge-not-found';
    line.state = 'refunded';
    return `CreditsRefunded ${line.amount}`;
  }
}
