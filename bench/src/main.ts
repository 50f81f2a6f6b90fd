import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { bareInsertLoad } from './bare-insert.ts';
import { executeLoad } from './execute.ts';
import { productFolder } from './product.ts';

const IDLE_MS = 10_000;

type Row = { what: string; figure: string; bar: string };

const folder = await productFolder();
const rows: Row[] = [];

const first = await folder.start();
await first.product.stop();
const { product, startMs } = await folder.start();
try {
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const idleMb = product.pssMb();
  const execute = await executeLoad(product.url);
  const bare = await bareInsertLoad();
  const ms = (value: number) => `${value.toFixed(1)} ms`;
  rows.push(
    { what: 'P9 warm start to first page', figure: ms(startMs), bar: '5 s; 2 s' },
    {
      what: 'P9 memory of the whole tree, idle (PSS)',
      figure: `${idleMb.toFixed(0)} MB`,
      bar: '600; 350',
    },
    {
      what: 'execute, built-in engine, 16 clients: tasks/s',
      figure: execute.perSecond.toFixed(0),
      bar: '',
    },
    { what: 'the same: p50, p99', figure: `${ms(execute.p50Ms)}, ${ms(execute.p99Ms)}`, bar: '' },
    {
      what: 'bare Fastify and one insert, 16 clients: calls/s',
      figure: bare.perSecond.toFixed(0),
      bar: '',
    },
    {
      what: 'execute against bare',
      figure: (execute.perSecond / bare.perSecond).toFixed(3),
      bar: '',
    },
  );
} finally {
  await product.stop();
  await folder.remove();
}

const line = ({ what, figure, bar }: Row) => `| ${what} | ${figure} | ${bar} |`;
const table = ['| what | figure | pass; stretch |', '|---|---|---|', ...rows.map(line)].join('\n');
console.log(table);
const machine = `${cpus().length} cores, Node ${process.versions.node}`;
const results = new URL('../results.md', import.meta.url);
await writeFile(results, `# Measurements\n\n\`npm run bench\` on ${machine}.\n\n${table}\n`);
