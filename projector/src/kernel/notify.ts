import { formatPosition, type Position } from '@tallyhand/service-kit/event-store/position';
import {
  type ChangeNotification,
  isFollowed,
  READ_MODELS_CHANNEL,
} from '@tallyhand/service-kit/postgres/read-position';
import { type RawBuilder, sql } from 'kysely';

/** A notification holds at most 8,000 bytes. */
const PAYLOAD_BYTES_MAX = 7_000;

const NONE: ReadonlySet<string> = new Set();

/** Changed features by organization. */
export type Changed = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Announces on commit the position of the read models and what changed; null means too many
 * changes. `streams`: those that have events since the last position.
 */
export function changesNotification(
  position: Position,
  changed: Changed | null,
  streams: ReadonlySet<string> = NONE,
): RawBuilder<unknown> {
  const whole: ChangeNotification = {
    position: formatPosition(position),
    changes:
      changed &&
      [...changed].map(([organizationId, features]) => ({
        organizationId,
        features: [...features],
      })),
    streams: [...streams].filter(isFollowed),
  };
  const text = JSON.stringify(whole);
  const isShort = Buffer.byteLength(text) <= PAYLOAD_BYTES_MAX;
  const payload = isShort ? text : JSON.stringify({ ...whole, changes: null, streams: null });
  return sql`select pg_notify(${READ_MODELS_CHANNEL}, ${payload})`;
}
