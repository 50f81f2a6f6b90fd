import type { OperatorRequest } from '@tallyhand/read-models/kernel/operating';
import type { EventLog } from '@tallyhand/service-kit/event-store/event-log';
import type pg from 'pg';
import { OperatorError, type Outcome, parseCommand } from './command.ts';
import { askProjector, isProjectorActive } from './rebuild-command.ts';

const EVENTS_USAGE = `Events that a projection failed on, whose streams are parked, and events that this
release cannot read (unreadable-events):
  npm run events -- list
  npm run events -- show ID
  npm run events -- retry ID      after fixing the cause: processes everything that was missed
  npm run events -- skip ID --reason TEXT      omits this one event permanently`;

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

type Parts = { readonly pool: pg.Pool; readonly eventLog: EventLog };

type Parked = {
  readonly projection: string;
  readonly stream: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly revision: string;
  readonly position: string;
  readonly error: string;
  readonly since: string;
  readonly later_events: string;
};

/** Runs an operator's command; returns the lines to print, and whether it succeeded. */
export async function runEventsCommand(args: readonly string[], parts: Parts): Promise<Outcome> {
  const { positionals, values } = parseCommand(args, { reason: { type: 'string' } }, EVENTS_USAGE);
  const [command, id] = positionals;
  const { reason } = values;
  if (command === 'list') return list(parts);
  if (!id || !UUID.test(id)) throw new OperatorError(`An event's id is missing\n\n${EVENTS_USAGE}`);
  switch (command) {
    case 'show':
      return show(parts, id);
    case 'retry':
      return ask(parts, { kind: 'retry-event', eventId: id });
    case 'skip':
      if (!reason?.trim()) throw new OperatorError(`--reason is missing\n\n${EVENTS_USAGE}`);
      return ask(parts, { kind: 'skip-event', eventId: id, reason: reason.trim() });
    default:
      throw new OperatorError(EVENTS_USAGE);
  }
}

async function list({ pool }: Parts): Promise<Outcome> {
  const parked = await readParked(pool, null);
  const skipped = await pool.query<{ line: string }>(
    `select format('%s  %s of %s, skipped by %s: %s', event_id, event_type, stream, projection,
       reason) as line
     from read_model.skipped_events order by skipped_at, projection`,
  );
  const lines = parked.map(
    (row) =>
      `${row.event_id}  ${row.event_type} of ${row.stream} stops ${row.projection} since ` +
      `${row.since}, ${row.later_events} later events wait: ${row.error}`,
  );
  const isWell = parked.length === 0;
  return {
    lines: [...(isWell ? ['No event is parked.'] : lines), ...skipped.rows.map(({ line }) => line)],
    isWell,
  };
}

async function show({ pool, eventLog }: Parts, id: string): Promise<Outcome> {
  const parked = await readParked(pool, id);
  const [first] = parked;
  if (!first) throw new OperatorError('No projection is parked at this event.');
  const lines = parked.map(
    (row) =>
      `${row.projection}: since ${row.since}, ${row.later_events} later events wait: ${row.error}`,
  );
  const { stream, revision, position } = first;
  // Unchanged: it may be a foreign event.
  const read = eventLog.client.readStream(stream, { fromRevision: BigInt(revision), maxCount: 1 });
  for await (const { event } of read) {
    if (!event) continue;
    const { type, data, metadata: envelope } = event;
    lines.push(JSON.stringify({ id, type, stream, revision, position, data, envelope }, null, 2));
  }
  return { lines, isWell: true };
}

async function readParked(pool: pg.Pool, id: string | null): Promise<Parked[]> {
  const { rows } = await pool.query<Parked>(
    `select projection, stream, event_id, event_type, revision, position, error, later_events,
       to_char(parked_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
     from read_model.parked_streams
     where not is_next and ($1::uuid is null or event_id = $1) order by parked_at, projection`,
    [id],
  );
  return rows;
}

async function ask({ pool }: Parts, request: OperatorRequest): Promise<Outcome> {
  if (!(await isProjectorActive(pool))) {
    throw new OperatorError('No projector is running. Start the product, then try again.');
  }
  const { isDone, message } = await askProjector(pool, request);
  return { lines: [message], isWell: isDone };
}
