import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '../../stack/src/postgres/start-postgres.ts';
import { startChild } from './child.ts';
import { productFolder } from './product.ts';

/** The product as `npm start` runs it, and bare Fastify with one table, each on its own database. */
export async function startSides() {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await productFolder({}));
  const { product } = await folder.start();
  opening.defer(() => product.stop());
  const bareFolder = await mkdtemp(join(tmpdir(), 'tallyhand-bench-bare-'));
  opening.defer(() => rm(bareFolder, { recursive: true, force: true }));
  const postgres = opening.adopt(
    await startPostgres({ dataDir: bareFolder, password: 'for the bench on loopback' }),
    (server) => server.stop(),
  );
  const bare = opening.use(
    startChild(new URL('./bare-agents.main.ts', import.meta.url), { databaseUrl: postgres.url }),
  );
  const bareUrl = await bare.told<string>();
  const opened = opening.move();
  return {
    productUrl: product.url,
    bareUrl,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}
