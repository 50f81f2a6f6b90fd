import { ledgerStream } from '@tallyhand/command-service/features/credits/ledger.decider';
import {
  contextOf,
  giveCredits,
  newParty,
  openBenchKit,
  type Party,
  reserveAndCharge,
  reserveOne,
} from './ledger-kit.ts';
import { answerAll, type LengthQuestion, manyAtOnce, timed } from './length-questions.ts';
import { CREDITS_GIVEN } from './pairs.ts';

const REST_MS_MAX = 10_000;

/** The product's command side in a process of its own, asked for ledgers of a given length. */
const opened = await openBenchKit(JSON.parse(process.argv[2] ?? '{}'));
const parties = new Map<string, Party>();

function partyOf(id: string): Party {
  const known = parties.get(id) ?? newParty(id);
  parties.set(id, known);
  return known;
}

/** One event gives the credits, each pair is two; a single reservation makes it even. */
async function fill({ id, events }: Extract<LengthQuestion, { ask: 'fill' }>) {
  const party = partyOf(id);
  await giveCredits(opened, party, CREDITS_GIVEN);
  await manyAtOnce(Math.floor((events - 1) / 2), () => reserveAndCharge(opened, party));
  if (events % 2 === 0) await reserveOne(opened, party);
}

/** The last revision of the stream, plus one. */
async function length(id: string) {
  const last = await opened.kit.streams.eventLog.last(`ledger-${id}`);
  return Number(last?.revision ?? -1n) + 1;
}

async function rest(id: string) {
  const { snapshots } = opened.kit.streams.options;
  const { snapshot } = ledgerStream;
  const end = BigInt(await length(id)) - BigInt(snapshot?.atRestEvents ?? 0);
  const deadline = performance.now() + REST_MS_MAX;
  for (;;) {
    const saved = await snapshots.load(`ledger-${id}`, snapshot?.version ?? 0);
    if (saved && saved.revision >= end) return;
    if (performance.now() > deadline) throw new Error('No snapshot was taken at rest');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

answerAll({
  fill,
  length: ({ id }) => length(id),
  command: ({ id }) => timed(() => reserveOne(opened, partyOf(id))),
  rest: ({ id }) => rest(id),
  // Opens the connections, as a process that answers elsewhere already has them.
  connect: () => opened.features.credits.available(contextOf(newParty()).organizationId ?? ''),
});
