import { CommandHandler } from '@event-driven-io/emmett';
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';
import { ledgerDecider } from '@tallyhand/command-service/features/credits/ledger.decider';
import { ReserveCredits } from '@tallyhand/contracts/features/credits/credits.commands';
import {
  AdjustmentPosted,
  CreditsCharged,
  CreditsReserved,
  type LedgerEvent,
} from '@tallyhand/contracts/features/credits/credits.events';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { newParty } from './ledger-kit.ts';
import { answerAll, type LengthQuestion, timed } from './length-questions.ts';
import { CREDITS_GIVEN } from './pairs.ts';

const EVENTS_AN_APPEND = 1_000;

/** Emmett on PostgreSQL with the product's own rules: the same fold and the same decision. */
const { emmettUrl } = JSON.parse(process.argv[2] ?? '{}');
const store = getPostgreSQLEventStore(emmettUrl);
const at = new Date().toISOString();

type Stored = { type: LedgerEvent['type']; data: Record<string, unknown> };

const handle = CommandHandler<ReturnType<typeof ledgerDecider.initialState>, Stored>({
  initialState: ledgerDecider.initialState,
  evolve: (ledger, event) => ledgerDecider.evolve(ledger, event as unknown as LedgerEvent, at),
});

function reservation(id: string) {
  const { agentId, memberId } = newParty(id);
  const taskId = newId();
  const work = { kind: 'task' as const, id: taskId };
  const terms = { reservationId: taskId, amount: 1, work, agentId, memberId, price: 1 };
  return { organizationId: id, ...terms, workType: 'query' as const, expiresAt: at };
}

async function fill({ id, events }: Extract<LengthQuestion, { ask: 'fill' }>) {
  const decided = { reason: 'Credits of the bench', approver: 'bench' };
  const given = { organizationId: id, adjustmentId: newId(), amount: CREDITS_GIVEN };
  const all: LedgerEvent[] = [AdjustmentPosted({ ...given, ...decided })];
  while (all.length < events) {
    const reserved = reservation(id);
    const { expiresAt: _, ...charged } = reserved;
    all.push(CreditsReserved(reserved), CreditsCharged(charged));
  }
  all.length = events;
  for (let from = 0; from < events; from += EVENTS_AN_APPEND) {
    const part = all.slice(from, from + EVENTS_AN_APPEND) as unknown as Stored[];
    await store.appendToStream(`ledger-${id}`, part);
  }
}

async function reserveOne(id: string) {
  const command = ReserveCredits({ ...reservation(id), at });
  await handle(store, `ledger-${id}`, (ledger) => {
    const decided = ledgerDecider.decide(command, ledger);
    if (isRefusal(decided)) throw new Error(`A reservation was refused: ${decided.code}`);
    return decided as unknown as Stored[];
  });
}

const length = async (id: string) =>
  Number((await store.readStream(`ledger-${id}`)).currentStreamVersion);

answerAll({
  fill,
  length: ({ id }) => length(id),
  command: ({ id }) => timed(() => reserveOne(id)),
  rest: async () => {},
  connect: () => store.streamExists('ledger-none'),
});
