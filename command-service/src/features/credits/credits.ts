import {
  ChargeCredits,
  GrantCredits,
  ReleaseReservation,
  ReserveCredits,
} from '@tallyhand/contracts/features/credits/credits.commands';
import { SIGN_UP_CREDITS } from '@tallyhand/contracts/features/credits/credits.prices';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { streamsOf } from '../../kit/streams.ts';
import { availableIn, ledgerDecider } from './ledger.decider.ts';

/** A reservation without an end after this time is looked into. */
const RESERVATION_MINUTES = 30;

type ReleaseReason = Parameters<typeof ReleaseReservation>[0]['reason'];

/** The ledger as other features use it. Every call may be repeated. */
export type Credits = {
  available(organizationId: string): Promise<number>;
  grantSignUpCredits(context: CommandContext, organizationId: string): Promise<void>;
  /** Sets a task's price aside, under the task's own id. */
  reserveForTask(
    context: CommandContext,
    task: {
      organizationId: string;
      taskId: string;
      agentId: string;
      memberId: string;
      price: number;
    },
  ): Promise<Refusal | null>;
  charge(context: CommandContext, organizationId: string, reservationId: string): Promise<void>;
  release(
    context: CommandContext,
    organizationId: string,
    reservationId: string,
    reason: ReleaseReason,
  ): Promise<void>;
};

export function creditsOf(kit: Kit): Credits {
  const ledgers = streamsOf(ledgerDecider, kit.streams);

  /** What must not be refused: a refusal here is a fault of ours. */
  const must = async (answer: Promise<unknown>) => {
    const given = await answer;
    if (isRefusal(given)) throw new Error(`The ledger refused: ${given.code}`);
  };

  return {
    available: async (organizationId) => availableIn(await ledgers.load(organizationId)),
    grantSignUpCredits: (context, organizationId) =>
      must(
        ledgers.send(
          organizationId,
          GrantCredits({
            organizationId,
            grantId: derivedId(organizationId, 'sign-up'),
            amount: SIGN_UP_CREDITS,
            reason: 'sign-up',
          }),
          context,
        ),
      ),
    async reserveForTask(context, { organizationId, taskId, agentId, memberId, price }) {
      const expiresAt = new Date(context.now.getTime() + RESERVATION_MINUTES * 60_000);
      const answer = await ledgers.send(
        organizationId,
        ReserveCredits({
          organizationId,
          reservationId: taskId,
          amount: price,
          work: { kind: 'task', id: taskId },
          agentId,
          memberId,
          price,
          expiresAt: expiresAt.toISOString(),
        }),
        context,
      );
      return isRefusal(answer) ? answer : null;
    },
    async charge(context, organizationId, reservationId) {
      const command = ChargeCredits({ organizationId, reservationId });
      const answer = await ledgers.send(organizationId, command, context);
      if (!isRefusal(answer)) return;
      // The work is done and its credit was given back: nobody pays, and somebody must know.
      kit.log.error('work was not charged', { organizationId, reservationId, code: answer.code });
    },
    release: (context, organizationId, reservationId, reason) =>
      must(
        ledgers.send(
          organizationId,
          ReleaseReservation({ organizationId, reservationId, reason }),
          context,
        ),
      ),
  };
}
