import { randomUUID } from 'node:crypto';
import { type Child, startChild } from './child.ts';
import type { Backends } from './ledger-backends.ts';
import type { LengthQuestion } from './length-questions.ts';
import { percentile } from './load.ts';
import { ms, type Row, ratio, row } from './table.ts';

const SHORT = 100;
const LONG = 100_000;
/** A short ledger takes few commands, so that it stays short. */
const SHORT_LEDGERS = 40;
const COMMANDS_EACH = 20;
const PEER_COMMANDS = 5;
const COLD_STARTS = 5;
/** Just not enough for a snapshot while work goes on: the longest way back. */
const CUT_OFF_EVENTS = 990;

/** P2: a command on a long ledger against one on a short, and against Emmett on a long stream. */
export async function measureLength({ kit, emmettUrl }: Backends): Promise<Row[]> {
  const ours = { file: './length-ledger.main.ts', settings: kit };
  const peer = { file: '../../judges/length-emmett.js', settings: { emmettUrl } };
  const id = randomUUID();
  const { short, long } = await warmOurs(ours, id);
  const warmPeer = await warmOf(peer, id);
  const { first: coldOurs, second: coldPeer } = await coldStarts(ours, peer, id);
  const cutOff = await coldAfterWork(ours, id);
  const n = LONG.toLocaleString('en');
  return [
    row(`P2 command on a ledger of ${SHORT} events, warm: p50`, ms(short)),
    row(`command on a ledger of ${n} events, warm: p50`, ms(long)),
    row('P2 long ledger against short, warm', ratio(long, short), '1.10; 1.05'),
    row(`Emmett on PostgreSQL, ${n} events, warm: p50`, ms(warmPeer)),
    row('P2 ledger against Emmett, warm', `${ratio(warmPeer, long, 0)} × faster`),
    row(`first command of a new process, ${n} events`, ms(coldOurs)),
    row('the same, its last process cut off in the middle of work', ms(cutOff)),
    row('the same, Emmett on PostgreSQL', ms(coldPeer)),
    row(
      'P2 ledger against Emmett, cold',
      `${ratio(coldPeer, coldOurs, 0)} × faster`,
      '50 ×; 200 ×',
    ),
  ];
}

type Side = { readonly file: string; readonly settings: object };

async function start({ file, settings }: Side): Promise<Child> {
  const child = startChild(new URL(file, import.meta.url), settings);
  await child.told();
  return child;
}

const ask = <T>(child: Child, question: LengthQuestion) => child.ask<T>(question);

/** Fills a stream and checks that it is as long as it is said to be. */
async function fill(child: Child, id: string, events: number) {
  await ask(child, { ask: 'fill', id, events });
  const length = await ask<number>(child, { ask: 'length', id });
  if (length !== events) throw new Error(`A stream of ${events} events has ${length}`);
}

/** Commands on both in turns, one after the other: the medians, in milliseconds. */
async function warmOurs(side: Side, longId: string) {
  using child = await start(side);
  await fill(child, longId, LONG);
  const short: number[] = [];
  const long: number[] = [];
  for (let ledger = 0; ledger < SHORT_LEDGERS; ledger += 1) {
    const id = randomUUID();
    await fill(child, id, SHORT);
    for (let i = 0; i < COMMANDS_EACH; i += 1) {
      short.push(await ask<number>(child, { ask: 'command', id }));
      long.push(await ask<number>(child, { ask: 'command', id: longId }));
    }
  }
  await ask(child, { ask: 'rest', id: longId });
  const length = await ask<number>(child, { ask: 'length', id: longId });
  if (length !== LONG + long.length) throw new Error(`The long ledger has ${length} events`);
  return { short: percentile(short, 0.5), long: percentile(long, 0.5) };
}

async function warmOf(side: Side, id: string) {
  using child = await start(side);
  await fill(child, id, LONG);
  const took: number[] = [];
  for (let i = 0; i <= PEER_COMMANDS; i += 1) {
    took.push(await ask<number>(child, { ask: 'command', id }));
  }
  return percentile(took.slice(1), 0.5);
}

/** The medians of first commands, each of a new process that has its connections. */
async function coldStarts(firstSide: Side, secondSide: Side, id: string) {
  const first: number[] = [];
  const second: number[] = [];
  for (let i = 0; i < COLD_STARTS; i += 1) {
    first.push(await coldStart(firstSide, id));
    second.push(await coldStart(secondSide, id));
  }
  return { first: percentile(first, 0.5), second: percentile(second, 0.5) };
}

async function coldStart(side: Side, id: string) {
  using child = await start(side);
  await ask(child, { ask: 'connect' });
  return await ask<number>(child, { ask: 'command', id });
}

/** A process that ends without any rest leaves as many events behind its snapshot as can be. */
async function coldAfterWork(side: Side, id: string) {
  {
    using child = await start(side);
    await ask(child, { ask: 'fill', id, events: CUT_OFF_EVENTS });
  }
  return await coldStart(side, id);
}
