import { CommandHandler } from '@event-driven-io/emmett';
import { getPostgreSQLEventStore } from '@event-driven-io/emmett-postgresql';
import { ledgerDecider } from '@tallyhand/command-service/features/credits/ledger.decider';
import { ReserveCredits } from '@tallyhand/contracts/features/credits/credits.commands';
import {
  AdjustmentPosted,
  CreditsCharged,
  CreditsReserved,
} from '@tallyhand/contracts/features/credits/credits.events';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { newParty } from '../bench/src/ledger-kit.ts';
import { answerAll, timed } from '../bench/src/length-questions.ts';
import { CREDITS_GIVEN } from '../bench/src/pairs.ts';

const EVENTS_AN_APPEND = 1_000;

/* Emmett on PostgreSQL with the product's own decider: the same `decide` and the same `evolve`. */
const { emmettUrl } = JSON.parse(process.argv[2] ?? '{}');
const store = getPostgreSQLEventStore(emmettUrl);
const at = new Date().toISOString();

const handle = CommandHandler({
  initialState: ledgerDecider.initialState,
  evolve: (ledger, event) => ledgerDecider.evolve(ledger, event, at),
});

function reservation(id) {
  const { agentId, memberId } = newParty(id);
  const taskId = newId();
  const work = { kind: 'task', id: taskId };
  const terms = { reservationId: taskId, amount: 1, work, agentId, memberId, price: 1 };
  return { organizationId: id, ...terms, workType: 'query', expiresAt: at };
}

async function fill({ id, events }) {
  const decided = { reason: 'Credits of the bench', approver: 'bench' };
  const given = { organizationId: id, adjustmentId: newId(), amount: CREDITS_GIVEN };
  const all = [AdjustmentPosted({ ...given, ...decided })];
  while (all.length < events) {
    const reserved = reservation(id);
    const { expiresAt: _, ...charged } = reserved;
    all.push(CreditsReserved(reserved), CreditsCharged(charged));
  }
  all.length = events;
  for (let from = 0; from < events; from += EVENTS_AN_APPEND) {
    await store.appendToStream(`ledger-${id}`, all.slice(from, from + EVENTS_AN_APPEND));
  }
}

async function reserveOne(id) {
  const command = ReserveCredits({ ...reservation(id), at });
  await handle(store, `ledger-${id}`, (ledger) => {
    const decided = ledgerDecider.decide(command, ledger);
    if (isRefusal(decided)) throw new Error(`A reservation was refused: ${decided.code}`);
    return decided;
  });
}

const length = async (id) => Number((await store.readStream(`ledger-${id}`)).currentStreamVersion);

answerAll({
  fill,
  length: ({ id }) => length(id),
  command: ({ id }) => timed(() => reserveOne(id)),
  rest: async () => {},
  connect: () => store.streamExists('ledger-none'),
});
