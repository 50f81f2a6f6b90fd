import { bareInsertLoad } from './bare-insert.ts';
import { startChild } from './child.ts';
import { executeLoad } from './execute.ts';
import { productFolder } from './product.ts';
import { ms, type Row, ratio, row, times } from './table.ts';

const CLIENTS = 16;
const IDLE_MS = 10_000;

/** The whole product as it is started by `npm start`, and a task from end to end. */
export async function measureProduct(): Promise<Row[]> {
  using stub = startChild(new URL('./stub-model.main.ts', import.meta.url), {});
  const modelUrl = await stub.told<string>();
  await using folder = await productFolder({ OPENAI_BASE_URL: modelUrl });
  // The first start makes the data; the second is the warm one.
  const first = await folder.start();
  await first.product.stop();
  const { product, startMs } = await folder.start();
  try {
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const idleMb = product.pssMb();
    const execute = await executeLoad(product.url, CLIENTS);
    const bare = await bareInsertLoad(modelUrl, CLIENTS);
    return [
      row('P9 warm start of `npm start` to the first page', ms(startMs), '5 s; 2 s'),
      row(
        'P9 memory of the whole tree, idle (PSS)',
        idleMb === null ? 'only measured on Linux' : `${idleMb.toFixed(0)} MB`,
        '600 MB; 350 MB',
      ),
      row(
        `execute, a model that answers at once, ${CLIENTS} clients: tasks/s`,
        execute.perSecond.toFixed(0),
      ),
      row('the same: p50, p99', times(execute)),
      row(
        `bare Fastify, the same model and one insert, ${CLIENTS} clients: calls/s`,
        bare.perSecond.toFixed(0),
      ),
      row('the same: p50, p99', times(bare)),
      row(
        'P12 execute against bare: throughput',
        ratio(execute.perSecond, bare.perSecond),
        '0.15; 0.35',
      ),
      row('execute against bare: p99', ratio(execute.p99Ms, bare.p99Ms)),
    ];
  } finally {
    await product.stop();
  }
}
