import { startChild } from './child.ts';
import { openCaller } from './http-caller.ts';
import type { Backends } from './ledger-backends.ts';
import { type Load, loadFor, percentile } from './load.ts';
import { type Row, ratio, row, times } from './table.ts';

const CLIENTS = 32;
const WARM_UP_MS = 3_000;
const ROUND_MS = 4_000;
const ROUNDS = 3;
/** More than a run can spend. */
export const CREDITS_GIVEN = 1_000_000;

/** What a side says of itself after the run. */
export type PairsLeft = {
  readonly available: number;
  readonly reserved: number;
  readonly charged: number;
  /** Nothing is left set aside; of the ledger also: every link of its chain is the next one. */
  readonly isIntact: boolean;
};

type Side = Disposable & {
  readonly name: string;
  /** Pairs a second, and their times, round by round. */
  readonly rounds: Load[];
  run(forMs: number): Promise<Load>;
  check(): Promise<void>;
};

/** P1: one organization's ledger, or wallet, with a pair of reserve and charge for each call. */
export async function measurePairs({ kit, walletUrl }: Backends): Promise<Row[]> {
  using sides = new DisposableStack();
  const wallet = (kind: string) =>
    startSide(kind, './pairs-wallet.main.ts', { kind, url: walletUrl });
  const ledger = sides.use(await startSide('ledger', './pairs-ledger.main.ts', kit));
  const locked = sides.use(await wallet('row-lock'));
  const guarded = sides.use(await wallet('guarded-update'));
  const all = [ledger, locked, guarded];
  for (const side of all) await side.run(WARM_UP_MS);
  // In turns, so that a slow minute of the machine is everybody's.
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const side of all) side.rounds.push(await side.run(ROUND_MS));
  }
  for (const side of all) await side.check();
  const [ours, lock, update] = [medianOf(ledger), medianOf(locked), medianOf(guarded)];
  return [
    row(`P1 ledger, ${CLIENTS} clients: pairs of reserve and charge/s`, ours.perSecond.toFixed(0)),
    row('the same: p50, p99', times(ours)),
    row('PostgreSQL, SELECT … FOR UPDATE: pairs/s', lock.perSecond.toFixed(0)),
    row('PostgreSQL, guarded UPDATE: pairs/s', update.perSecond.toFixed(0)),
    row(
      'P1 ledger against FOR UPDATE',
      `${ratio(ours.perSecond, lock.perSecond, 2)} ×`,
      '4 ×; 8 ×',
    ),
    row(
      'P1 ledger against guarded UPDATE',
      `${ratio(ours.perSecond, update.perSecond, 2)} ×`,
      '2 ×; 4 ×',
    ),
  ];
}

/** The round in the middle, by its speed. */
function medianOf({ rounds }: Side): Load {
  const middle = percentile(
    rounds.map(({ perSecond }) => perSecond),
    0.5,
  );
  const found = rounds.find(({ perSecond }) => perSecond === middle);
  if (!found) throw new Error('No round was run');
  return found;
}

async function startSide(name: string, file: string, settings: object): Promise<Side> {
  const child = startChild(new URL(file, import.meta.url), settings);
  const url = await child.told<string>();
  const callers = await Promise.all(
    Array.from({ length: CLIENTS }, () => openCaller(`${url}/pairs`, 'POST')),
  );
  let pairs = 0;
  return {
    name,
    rounds: [],
    async run(forMs) {
      const result = await loadFor(
        CLIENTS,
        forMs,
        async (_, client) => void (await callers[client]?.call()),
      );
      pairs += result.calls;
      return result;
    },
    async check() {
      const left = (await (await fetch(`${url}/left`)).json()) as PairsLeft;
      const { available, reserved, charged, isIntact } = left;
      const isRight =
        available === CREDITS_GIVEN - pairs && reserved === pairs && charged === pairs && isIntact;
      if (isRight) return;
      throw new Error(`After ${pairs} pairs the ${name} says ${JSON.stringify(left)}`);
    },
    [Symbol.dispose]() {
      for (const caller of callers) caller[Symbol.dispose]();
      child[Symbol.dispose]();
    },
  };
}
