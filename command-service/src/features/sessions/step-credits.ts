import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type pg from 'pg';
import type { CommandContext } from '../../kit/context.ts';
import type { RequestedSession } from './session-state.ts';

type Step = {
  readonly organizationId: string;
  readonly workId: string;
  readonly workType: 'step';
  readonly agentId: string;
  readonly memberId: string;
  readonly price: number;
};

/** The ledger's part for steps. Every call may be repeated. */
export type StepLedger = {
  wouldRefuse(context: CommandContext, step: Step): Promise<Refusal | null>;
  reserve(context: CommandContext, step: Step): Promise<Refusal | null>;
  charge(context: CommandContext, organizationId: string, id: string): Promise<void>;
  releaseIfAny(
    context: CommandContext,
    organizationId: string,
    id: string,
    reason: 'work-failed' | 'work-cancelled',
  ): Promise<void>;
  extend(context: CommandContext, organizationId: string, id: string): Promise<Refusal | null>;
};

/** The id of an agent's step, and of its reservation. */
export const stepIdOf = (sessionId: string, stepNumber: number) =>
  derivedId(sessionId, 'step', String(stepNumber));

/** Which steps are paid, and by which member. */
type Paid = Pick<RequestedSession, 'organizationId' | 'agentId' | 'requestedBy' | 'price'>;

const stepToPay = (
  { organizationId, agentId, requestedBy, price }: Paid,
  workId: string,
): Step => ({ organizationId, workId, workType: 'step', agentId, memberId: requestedBy, price });

/** One credit for each step: reserved before it, charged when it succeeds, released otherwise. */
export class StepCredits {
  readonly #pool: pg.Pool;
  readonly #ledger: StepLedger;

  constructor(pool: pg.Pool, ledger: StepLedger) {
    this.#pool = pool;
    this.#ledger = ledger;
  }

  /** Why no step could be paid now, or null. */
  check(context: CommandContext, sessionId: string, session: Paid): Promise<Refusal | null> {
    return this.#ledger.wouldRefuse(context, stepToPay(session, stepIdOf(sessionId, 1)));
  }

  /** Reserves a step's credit. The step is stored first, so that the reservation is found. */
  async reserve(context: CommandContext, session: RequestedSession, stepNumber: number) {
    const { sessionId, organizationId } = session;
    const stepId = stepIdOf(sessionId, stepNumber);
    await this.#pool.query(
      `insert into operational.session_steps (step_id, session_id, organization_id, step_number)
       values ($1, $2, $3, $4) on conflict do nothing`,
      [stepId, sessionId, organizationId, stepNumber],
    );
    // A runner that died may have left one. Once another step begins, it can't be charged.
    for (const other of await this.#open(sessionId)) {
      if (other !== stepId) await this.settle(context, session, other);
    }
    const refused = await this.#ledger.reserve(context, stepToPay(session, stepId));
    if (refused) await this.#settled(stepId);
    return refused;
  }

  /** Charges a step that succeeded; releases the reservation of any other. */
  async settle(context: CommandContext, session: RequestedSession, stepId: string) {
    const { organizationId } = session;
    const step = session.steps.find((one) => one.stepId === stepId);
    const isPaid = step?.success && !step.interrupted;
    if (isPaid) await this.#ledger.charge(context, organizationId, stepId);
    else {
      const reason = step && !step.interrupted ? 'work-failed' : 'work-cancelled';
      await this.#ledger.releaseIfAny(context, organizationId, stepId, reason);
    }
    await this.#settled(stepId);
  }

  /** Settles all open reservations of a session. */
  async settleAll(context: CommandContext, session: RequestedSession) {
    for (const stepId of await this.#open(session.sessionId)) {
      await this.settle(context, session, stepId);
    }
  }

  /** The session of a step that was begun, or null. */
  async sessionOf(stepId: string): Promise<string | null> {
    return (await this.#find(stepId))?.session_id ?? null;
  }

  /** True also for a step that was never begun. */
  async isSettled(stepId: string): Promise<boolean> {
    return (await this.#find(stepId))?.is_settled ?? true;
  }

  async isOpen(sessionId: string): Promise<boolean> {
    return (await this.#open(sessionId)).length > 0;
  }

  async #find(stepId: string) {
    const { rows } = await this.#pool.query<{ session_id: string; is_settled: boolean }>(
      'select session_id, is_settled from operational.session_steps where step_id = $1',
      [stepId],
    );
    return rows[0];
  }

  async #open(sessionId: string): Promise<string[]> {
    const { rows } = await this.#pool.query<{ step_id: string }>(
      `select step_id from operational.session_steps
       where session_id = $1 and not is_settled order by step_number`,
      [sessionId],
    );
    return rows.map((row) => row.step_id);
  }

  async #settled(stepId: string) {
    const sql = 'update operational.session_steps set is_settled = true where step_id = $1';
    await this.#pool.query(sql, [stepId]);
  }
}
