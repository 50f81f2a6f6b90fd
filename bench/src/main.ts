import { parseArgs } from 'node:util';
import { keepMeasurements, machine } from '../../scripts/measurements.js';
import { measureAppends } from './appends.ts';
import { measureCost } from './cost/cost.ts';
import { measureExport } from './export.ts';
import { measureFirstLoad } from './first-load.ts';
import { measureGrowth } from './growth/growth.ts';
import { measureInstances } from './instances.ts';
import { measureLag } from './lag.ts';
import { startBackends } from './ledger-backends.ts';
import { measureLength } from './length.ts';
import { measureLighthouse } from './lighthouse.ts';
import { measureLiveView } from './live-view.ts';
import { measureLongLists } from './long-lists.ts';
import { measureOwnWrites } from './own-writes.ts';
import { measurePairs } from './pairs.ts';
import { measureQueries } from './queries.ts';
import { measureReadsThatGrow } from './reads-that-grow.ts';
import { measureRebuild } from './rebuild.ts';
import { measureRetrieval } from './retrieval.ts';
import { measureRetrievalLatency } from './retrieval-latency.ts';
import { measureProduct } from './start-and-execute.ts';
import { measureStoreSize } from './store-size.ts';
import { type Row, tableOf } from './table.ts';

const { values: options, positionals: names } = parseArgs({
  allowPositionals: true,
  options: {
    against: { type: 'string' },
    profiles: { type: 'string' },
    only: { type: 'string' },
  },
});

/**
 * Each part stands alone: both of its sides run in one run, on one machine. In docs/measurements.md
 * each stands as it was last run, with the day.
 */
const parts: Readonly<Record<string, () => Promise<Row[]>>> = {
  product: measureProduct,
  cost: () => measureCost(options),
  retrieval: measureRetrieval,
  'retrieval-latency': measureRetrievalLatency,
  async ledger() {
    await using backends = await startBackends();
    return [...(await measurePairs(backends)), ...(await measureLength(backends))];
  },
  appends: measureAppends,
  rebuild: measureRebuild,
  'own-writes': measureOwnWrites,
  lag: measureLag,
  queries: measureQueries,
  'reads-that-grow': measureReadsThatGrow,
  growth: measureGrowth,
  'store-size': measureStoreSize,
  instances: measureInstances,
  export: () => measureExport(),
  'live-view': measureLiveView,
  'first-load': measureFirstLoad,
  lighthouse: measureLighthouse,
  'long-lists': measureLongLists,
};

const unknown = names.find((name) => !(name in parts));
if (unknown !== undefined) {
  throw new Error(`There is no part ${unknown}; there are ${Object.keys(parts).join(', ')}`);
}

for (const [name, measure] of Object.entries(parts)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const table = tableOf(await measure());
  console.log(`${name}\n${table}`);
  // A part of a part is for looking, and a profile changes what it measures.
  const isWhole = options.only === undefined && options.profiles === undefined;
  if (isWhole) keepMeasurements([[`Bench: ${name}`, `${machine()}\n\n${table}`]]);
}
