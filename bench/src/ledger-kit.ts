import { type OpenedKit, openKit } from '@tallyhand/command-service/app/open-kit';
import type { CommandSettings } from '@tallyhand/command-service/kit/app';
import type { CommandContext } from '@tallyhand/command-service/kit/context';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { firstEventId, noteFirstEvent } from '@tallyhand/service-kit/event-store/known-store';
import { jsonLog } from '@tallyhand/service-kit/log';
import type { KitSettings } from './ledger-backends.ts';

export const openBenchKit = (
  settings: KitSettings & Pick<CommandSettings, 'model'>,
): Promise<OpenedKit> =>
  openKit({
    ...settings,
    publicUrl: 'http://127.0.0.1',
    trustProxy: false,
    rateLimitScale: 1,
    log: jsonLog('bench', 'warn'),
  });

/** Who works in one organization, as events name them. */
export type Party = {
  readonly organizationId: string;
  readonly agentId: string;
  readonly memberId: string;
  readonly signInId: string;
};

export const newParty = (organizationId = newId()): Party => ({
  organizationId,
  agentId: newId(),
  memberId: newId(),
  signInId: newId(),
});

export const contextOf = ({ organizationId, memberId, signInId }: Party): CommandContext => ({
  organizationId,
  actor: { kind: 'member', id: memberId, signInId },
  commandId: newId(),
  correlationId: newId(),
  causationId: null,
  now: new Date(),
});

/**
 * Credits to spend, without payment. Also records what reactions and registrations record in the
 * product, without which the next process would refuse the event store.
 */
export async function giveCredits({ kit, features }: OpenedKit, party: Party, amount: number) {
  const { organizationId } = party;
  const decided = { reason: 'Credits of the bench', approver: 'bench' };
  const adjustment = { organizationId, adjustmentId: newId(), amount, ...decided };
  const refused = await features.credits.adjust(contextOf(party), adjustment);
  if (refused) throw new Error(`No credits were given: ${refused.code}`);
  const first = await firstEventId(kit.streams.eventLog);
  if (first) await noteFirstEvent(kit.pool, first);
}

/** Sets one credit aside and gives the reservation's id. */
export async function reserveOne({ features }: OpenedKit, party: Party): Promise<string> {
  const { organizationId, agentId, memberId } = party;
  const taskId = newId();
  const workType = 'query' as const;
  const task = { organizationId, workId: taskId, workType, agentId, memberId, price: 1 };
  const refused = await features.credits.reserve(contextOf(party), task);
  if (refused) throw new Error(`A reservation was refused: ${refused.code}`);
  return taskId;
}

/** What one execute does to the ledger: first set aside, durably, then charge. */
export async function reserveAndCharge(opened: OpenedKit, party: Party): Promise<void> {
  const taskId = await reserveOne(opened, party);
  await opened.features.credits.charge(contextOf(party), party.organizationId, taskId);
}
