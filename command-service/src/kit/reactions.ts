import type { EventLog, StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { followAll } from '@tallyhand/service-kit/event-store/follow-all';
import { noteFirstEvent } from '@tallyhand/service-kit/event-store/known-store';
import { comparePositions, START } from '@tallyhand/service-kit/event-store/position';
import type { Log } from '@tallyhand/service-kit/log';
import { tracedReaction } from '@tallyhand/service-kit/tracing/event-spans';
import type pg from 'pg';
import { backgroundContext, type CommandContext } from './context.ts';
import { followedTo, keepFollowedTo } from './followed-to.ts';

const BATCH_MAX = 500;
/** The process that caused an event reacts at once; here a short wait lets batches grow. */
const GATHERING_MS = 100;
export const REACTIONS_CHECKPOINT = 'reactions';

/**
 * The consequence of an event, even if the process that should have caused it died. Must be
 * idempotent: it sees every event at least once, in order.
 */
export type Reaction = {
  readonly name: string;
  readonly handle: (events: readonly StoredEvent[]) => Promise<void>;
};

/** What is done on events, by their types. Others are ignored. */
type Handlers = Readonly<Record<string, (event: StoredEvent) => Promise<void>>>;

/** A reaction that handles one event after the other. */
export const reaction = (name: string, on: Handlers): Reaction => ({
  name,
  async handle(events) {
    for (const event of events) {
      const react = on[event.type];
      if (react) await tracedReaction(name, event, () => react(event));
    }
  },
});

/** A reaction that handles the events of a batch side by side, where many happen at once. */
export const reactionInAnyOrder = (name: string, on: Handlers): Reaction => ({
  name,
  async handle(events) {
    await Promise.all(
      events.flatMap((event) => {
        const react = on[event.type];
        return react ? [tracedReaction(name, event, () => react(event))] : [];
      }),
    );
  },
});

/** Runs all reactions over all events until it is disposed of. */
export function runReactions(options: {
  readonly pool: pg.Pool;
  readonly eventLog: EventLog;
  readonly log: Log;
  readonly reactions: readonly Reaction[];
}): AsyncDisposable {
  const { pool, eventLog, log, reactions } = options;
  let isAtStart = false;
  return followAll({
    eventLog,
    log,
    name: 'reactions',
    batchMax: BATCH_MAX,
    gatherMs: GATHERING_MS,
    async from() {
      const from = await followedTo(pool, REACTIONS_CHECKPOINT);
      isAtStart = comparePositions(from, START) === 0;
      return from;
    },
    async handle(events) {
      if (isAtStart && events[0]) await noteFirstEvent(pool, events[0].id);
      isAtStart = false;
      for (const { handle } of reactions) await handle(events);
      const last = events.at(-1);
      if (last) await keepFollowedTo(pool, REACTIONS_CHECKPOINT, last.position);
    },
  });
}

/** The context of a reaction: it keeps the cause's correlation id. */
export function reactionContext(event: StoredEvent, commandId: string): CommandContext {
  const { organizationId, correlationId, commandId: causationId } = event.envelope;
  return backgroundContext('reaction', organizationId, { commandId, correlationId, causationId });
}
