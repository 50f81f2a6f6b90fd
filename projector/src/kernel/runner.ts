import type { StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { followAll } from '@tallyhand/service-kit/event-store/follow-all';
import { START } from '@tallyhand/service-kit/event-store/position';
import { applyEvents, attempts, openTarget } from './apply-events.ts';
import {
  addCheckpoints,
  earlier,
  isAfter,
  lockCheckpoints,
  moveCheckpoints,
} from './checkpoints.ts';
import { heartbeat } from './heartbeat.ts';
import { notifyChanges } from './notify.ts';
import { operate } from './operate.ts';
import type { Tx } from './projection.ts';
import { askForOutdated } from './rebuild.ts';
import { helpersOf, type ProjectorContext } from './surroundings.ts';

const BATCH_MAX = 500;

/**
 * Follows the event store and keeps the read models up to date until it is disposed of; builds
 * tables anew beside them, and does what operators ask for.
 */
export function runProjections(context: ProjectorContext): AsyncDisposable {
  const { db, eventLog, log, projections } = context;
  const stopping = new AbortController();
  const { run } = attempts(stopping.signal);
  const following = followAll({
    eventLog,
    log,
    name: 'projections',
    batchMax: BATCH_MAX,
    from: () =>
      db.transaction().execute(async (tx) => {
        await addCheckpoints(tx, projections);
        await askForOutdated(tx, projections);
        const checkpoints = await lockCheckpoints(tx);
        return projections
          .map(({ model }) => checkpoints.get(model.name)?.position ?? START)
          .reduce(earlier);
      }),
    handle: (events) => run(db, (tx, isolates) => applyBatch(tx, context, events, isolates)),
  });
  const operating = operate(context);
  const beating = heartbeat(context);
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.all([following, operating, beating].map((part) => part[Symbol.asyncDispose]()));
    },
  };
}

async function applyBatch(
  tx: Tx,
  context: ProjectorContext,
  events: readonly StoredEvent[],
  isolates: boolean,
): Promise<void> {
  const last = events.at(-1);
  if (!last) return;
  const checkpoints = await lockCheckpoints(tx);
  const helpers = helpersOf(tx, context);
  const target = await openTarget(tx, { isNext: false, helpers, isolates });
  const changed = new Map<string, Set<string>>();
  const counts = new Map<string, number>();
  for (const projection of context.projections) {
    const { name, feature } = projection.model;
    const checkpoint = checkpoints.get(name)?.position ?? START;
    const fresh = events.filter(({ position }) => isAfter(position, checkpoint));
    counts.set(name, fresh.length);
    for (const organizationId of await applyEvents(target, projection, fresh)) {
      const features = changed.get(organizationId) ?? new Set();
      changed.set(organizationId, features.add(feature));
    }
  }
  await moveCheckpoints(tx, last.position, counts);
  await notifyChanges(tx, last.position, changed);
}
