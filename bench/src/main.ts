import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { bareInsertLoad } from './bare-insert.ts';
import { executeLoad } from './execute.ts';
import type { Load } from './load.ts';
import { productFolder } from './product.ts';

const CLIENTS = 16;
const IDLE_MS = 10_000;

type Row = { readonly what: string; readonly figure: string; readonly bar: string };
type Figures = { startMs: number; idleMb: number | null; execute: Load; bare: Load };

/** Both sides in one run, on one machine. */
async function measureAll(): Promise<Figures> {
  await using folder = await productFolder();
  // The first start makes the data; the second is the warm one.
  const first = await folder.start();
  await first.product.stop();
  const { product, startMs } = await folder.start();
  try {
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const idleMb = product.pssMb();
    const execute = await executeLoad(product.url, CLIENTS);
    const bare = await bareInsertLoad(CLIENTS);
    return { startMs, idleMb, execute, bare };
  } finally {
    await product.stop();
  }
}

function rowsOf({ startMs, idleMb, execute, bare }: Figures): Row[] {
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  const times = ({ p50Ms, p99Ms }: Load) => `${ms(p50Ms)}, ${ms(p99Ms)}`;
  const ratio = (a: number, b: number) => (a / b).toFixed(3);
  const row = (what: string, figure: string, bar = '') => ({ what, figure, bar });
  return [
    row('P9 warm start of `npm start` to the first page', ms(startMs), '5 s; 2 s'),
    row(
      'P9 memory of the whole tree, idle (PSS)',
      idleMb === null ? 'only measured on Linux' : `${idleMb.toFixed(0)} MB`,
      '600 MB; 350 MB',
    ),
    row(`execute, built-in engine, ${CLIENTS} clients: tasks/s`, execute.perSecond.toFixed(0)),
    row('the same: p50, p99', times(execute)),
    row(`bare Fastify and one insert, ${CLIENTS} clients: calls/s`, bare.perSecond.toFixed(0)),
    row('the same: p50, p99', times(bare)),
    row('execute against bare: throughput', ratio(execute.perSecond, bare.perSecond)),
    row('execute against bare: p99', ratio(execute.p99Ms, bare.p99Ms)),
  ];
}

const rows = rowsOf(await measureAll());
const line = ({ what, figure, bar }: Row) => `| ${what} | ${figure} | ${bar} |`;
const table = ['| what | figure | pass; stretch |', '|---|---|---|', ...rows.map(line)].join('\n');
console.log(table);
const machine = `${cpus().length} cores, Node ${process.versions.node}`;
const results = new URL('../results.md', import.meta.url);
await writeFile(results, `# Measurements\n\n\`npm run bench\` on ${machine}.\n\n${table}\n`);
