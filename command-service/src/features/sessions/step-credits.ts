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

/** The ledger, as far as steps need it. Every call may be repeated. */
export type StepLedger = {
  readonly wouldRefuse: (context: CommandContext, step: Step) => Promise<Refusal | null>;
  readonly reserve: (context: CommandContext, step: Step) => Promise<Refusal | null>;
  readonly charge: (context: CommandContext, organizationId: string, id: string) => Promise<void>;
  readonly release: (
    context: CommandContext,
    organizationId: string,
    id: string,
    reason: 'work-failed' | 'work-cancelled',
  ) => Promise<void>;
  readonly extend: (
    context: CommandContext,
    organizationId: string,
    id: string,
  ) => Promise<Refusal | null>;
};

/** The agent's step that is begun with a number; its reservation has the same id. */
export const stepIdOf = (sessionId: string, stepNumber: number) =>
  derivedId(sessionId, 'step', String(stepNumber));

/** Which steps are paid, and by which member. */
type Paid = Pick<RequestedSession, 'organizationId' | 'agentId' | 'requestedBy' | 'price'>;

const stepToPay = (
  { organizationId, agentId, requestedBy, price }: Paid,
  workId: string,
): Step => ({ organizationId, workId, workType: 'step', agentId, memberId: requestedBy, price });

/** One credit for each step: set aside before it, charged when it succeeded, given back if not. */
export type StepCredits = ReturnType<typeof stepCreditsOf>;

export function stepCreditsOf(pool: pg.Pool, ledger: StepLedger) {
  async function settled(stepId: string) {
    await pool.query('update operational.session_steps set is_settled = true where step_id = $1', [
      stepId,
    ]);
  }

  async function open(sessionId: string): Promise<string[]> {
    const { rows } = await pool.query<{ step_id: string }>(
      `select step_id from operational.session_steps
       where session_id = $1 and not is_settled order by step_number`,
      [sessionId],
    );
    return rows.map((row) => row.step_id);
  }

  /** Charges a step that was taken and succeeded, and gives back what any other had set aside. */
  async function settle(context: CommandContext, session: RequestedSession, stepId: string) {
    const { organizationId } = session;
    const step = session.steps.find((one) => one.stepId === stepId);
    const isPaid = step?.success && !step.interrupted;
    if (isPaid) await ledger.charge(context, organizationId, stepId);
    else {
      const reason = step && !step.interrupted ? 'work-failed' : 'work-cancelled';
      await ledger.release(context, organizationId, stepId, reason);
    }
    await settled(stepId);
  }

  return {
    settle,
    /** Why no step could be paid now. */
    check: (context: CommandContext, sessionId: string, session: Paid) =>
      ledger.wouldRefuse(context, stepToPay(session, stepIdOf(sessionId, 1))),
    /** The session to which a step belongs that was begun; null where none was. */
    async sessionOf(stepId: string): Promise<string | null> {
      const { rows } = await pool.query<{ session_id: string }>(
        'select session_id from operational.session_steps where step_id = $1',
        [stepId],
      );
      return rows[0]?.session_id ?? null;
    },
    /** Whether its credit was charged or given back; of what was never begun there is none. */
    async isSettled(stepId: string): Promise<boolean> {
      const { rows } = await pool.query<{ is_settled: boolean }>(
        'select is_settled from operational.session_steps where step_id = $1',
        [stepId],
      );
      return rows[0]?.is_settled ?? true;
    },
    isOpen: async (sessionId: string) => (await open(sessionId)).length > 0,
    /** Sets a step's credit aside. It is noted before, so that it is found whatever happens. */
    async reserve(context: CommandContext, session: RequestedSession, stepNumber: number) {
      const { sessionId, organizationId } = session;
      const stepId = stepIdOf(sessionId, stepNumber);
      await pool.query(
        `insert into operational.session_steps (step_id, session_id, organization_id, step_number)
         values ($1, $2, $3, $4) on conflict do nothing`,
        [stepId, sessionId, organizationId, stepNumber],
      );
      // From a runner that died: once another step begins, this one can't be charged.
      for (const other of await open(sessionId)) {
        if (other !== stepId) await settle(context, session, other);
      }
      const refused = await ledger.reserve(context, stepToPay(session, stepId));
      if (refused) await settled(stepId);
      return refused;
    },
    /** Ends whatever is still set aside for a session. */
    async settleAll(context: CommandContext, session: RequestedSession) {
      for (const stepId of await open(session.sessionId)) await settle(context, session, stepId);
    },
  };
}
