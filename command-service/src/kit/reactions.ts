import type { EventLog, StoredEvent } from '@tallyhand/service-kit/event-store/event-log';
import { followAll } from '@tallyhand/service-kit/event-store/follow-all';
import { formatPosition, parsePosition, START } from '@tallyhand/service-kit/event-store/position';
import type { Log } from '@tallyhand/service-kit/log';
import type pg from 'pg';
import type { CommandContext } from './context.ts';

const BATCH_MAX = 200;
const CHECKPOINT = 'reactions';

/**
 * What follows from an event, wherever the process died that should have done it at once. Each
 * must be idempotent: it sees every event at least once, in order.
 */
export type Reaction = {
  readonly name: string;
  readonly on: Readonly<Record<string, (event: StoredEvent) => Promise<void>>>;
};

/** Runs all reactions over all events until it is disposed of. */
export function runReactions(options: {
  readonly pool: pg.Pool;
  readonly eventLog: EventLog;
  readonly log: Log;
  readonly reactions: readonly Reaction[];
}): AsyncDisposable {
  const { pool, eventLog, log, reactions } = options;
  return followAll({
    eventLog,
    log,
    name: 'reactions',
    batchMax: BATCH_MAX,
    async from() {
      const { rows } = await pool.query<{ position: string }>(
        'select position from operational.reaction_checkpoints where name = $1',
        [CHECKPOINT],
      );
      return parsePosition(rows[0]?.position ?? '') ?? START;
    },
    async handle(events) {
      for (const event of events) {
        for (const { on } of reactions) await on[event.type]?.(event);
      }
      const last = events.at(-1);
      if (!last) return;
      await pool.query(
        `insert into operational.reaction_checkpoints (name, position) values ($1, $2)
         on conflict (name) do update set position = excluded.position`,
        [CHECKPOINT, formatPosition(last.position)],
      );
    },
  });
}

/** The context of what a reaction does: it goes on under the cause's correlation id. */
export function reactionContext(event: StoredEvent, commandId: string): CommandContext {
  const { organizationId, correlationId, commandId: causationId } = event.envelope;
  return {
    organizationId,
    actor: { kind: 'reaction' },
    commandId,
    correlationId,
    causationId,
    now: new Date(),
  };
}
