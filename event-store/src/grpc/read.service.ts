import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Access } from '../access/access.ts';
import type { CommitSignal } from '../storage/commit-signal.ts';
import type { EventRows } from '../storage/event-rows.ts';
import { NewestEvents } from '../storage/newest-events.ts';
import type { OpenCalls } from './connections.ts';
import { eventBytes } from './event-bytes.ts';
import { FilterTurns } from './event-filter.ts';
import { parseReadRequest, type ReadRequest, streamNotFoundResponse } from './read.codec.ts';
import { type ReadCall, ResponseWriter, UnreadAnswers } from './response-writer.ts';
import { asRpcError } from './rpc-error.ts';
import { type Log, subscribe } from './subscription.ts';

/**
 * Read: a stream or $all, in either direction; with the subscription option it continues with later
 * appends.
 */
export function readHandler(
  rows: EventRows,
  commits: CommitSignal,
  calls: OpenCalls,
  access: Access,
) {
  const unread = new UnreadAnswers();
  const log: Log = { rows, newest: new NewestEvents(rows), commits };
  return async (call: ReadCall): Promise<void> => {
    const signal = calls.open(call);
    const writer = new ResponseWriter(call, signal, unread);
    try {
      const request = parseReadRequest(call.request, access.caller(call.metadata));
      if (request.isSubscription) await subscribe(log, request, writer, signal);
      else await (request.stream === null ? readAll : readStream)(rows, request, writer);
      if (!signal.aborted) call.end();
    } catch (error) {
      if (!signal.aborted) call.emit('error', asRpcError(error));
    }
  };
}

async function readStream(rows: EventRows, request: ReadRequest, writer: ResponseWriter) {
  const { stream: name, direction, limit, uuidForm } = request;
  const stream = rows.streamNumber(name ?? '');
  if (stream === null) return writer.write(streamNotFoundResponse(name ?? ''));
  const last = rows.lastRevision(stream);
  let next = firstRevision(request, last);
  await pump(writer, limit, async (left) => {
    const isWithin = next >= 0 && next <= last;
    const page = isWithin ? rows.streamPage(stream, direction, next, left) : [];
    next += direction === 'forwards' ? page.length : -page.length;
    for (const event of page) writer.write(eventBytes(event, uuidForm), event);
    return { read: page.length, sent: page.length };
  });
}

function firstRevision({ direction, from }: ReadRequest, last: number): number {
  if (from === 'start') return 0;
  if (direction === 'forwards') return from === 'end' ? last + 1 : from;
  return from === 'end' ? last : Math.min(from, last);
}

async function readAll(rows: EventRows, request: ReadRequest, writer: ResponseWriter) {
  const { direction, limit, filter, hides, uuidForm } = request;
  const head = rows.head();
  let next = firstPosition(request, head);
  const turns = new FilterTurns(filter);
  await pump(writer, limit, async (left) => {
    const isWithin = next >= 1 && next <= head;
    const page = isWithin ? rows.allPage(direction, next, filter === null ? left : PAGE) : [];
    next += direction === 'forwards' ? page.length : -page.length;
    let sent = 0;
    for (const event of page) {
      if (turns.isDueBefore(event)) await nextTurn();
      if (writer.isOver || sent === left) break;
      if (hides(event.stream) || (filter !== null && !filter.matches(event))) continue;
      writer.write(eventBytes(event, uuidForm), event);
      sent += 1;
    }
    return { read: page.length, sent };
  });
}

/**
 * Forwards begins with the event at the position; backwards with the one before it, as EventStoreDB
 * does.
 */
function firstPosition({ direction, from }: ReadRequest, head: number): number {
  if (direction === 'forwards') {
    if (from === 'end') return head + 1;
    return from === 'start' ? 1 : Math.max(1, from);
  }
  if (from === 'end') return head;
  return from === 'start' ? 0 : Math.min(from - 1, head);
}

const PAGE = Number.MAX_SAFE_INTEGER;

/** Sends page after page until the limit, the end, or the client's leaving. */
async function pump(
  writer: ResponseWriter,
  limit: number,
  sendPage: (left: number) => Promise<{ read: number; sent: number }>,
): Promise<void> {
  let left = limit;
  while (left > 0 && !writer.isOver) {
    const { read, sent } = await sendPage(left);
    if (read === 0) return;
    left -= sent;
    await writer.flush();
  }
}
