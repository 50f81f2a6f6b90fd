import { projections } from '@tallyhand/projector/app/projections';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import { type Child, startChild } from './child.ts';
import type { KitSettings } from './ledger-backends.ts';

const LOOK_MS = 100;

/** The product's projector in a process of its own, and the database as an administrator sees it. */
export async function startProjecting(kit: KitSettings) {
  await using opening = new AsyncDisposableStack();
  const admin = opening.adopt(openPool(kit.databaseUrl, 2), (pool) => pool.end());
  const child: Child = opening.use(
    startChild(new URL('./projector.main.ts', import.meta.url), kit),
  );
  await child.told();
  const opened = opening.move();
  return {
    admin,
    /** Waits until every read model has taken so many events. */
    async caughtUp(events: number, msMax: number): Promise<void> {
      await until(msMax, async () => {
        const { rows } = await admin.query<{ models: number; events: number }>(
          `select count(*)::int as models, min(events)::int as events from read_model.checkpoints`,
        );
        return rows[0]?.models === projections.length && rows[0].events >= events;
      });
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Asks until it holds; rejects after `msMax`. */
export async function until(msMax: number, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + msMax;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Not done after ${msMax} ms`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
