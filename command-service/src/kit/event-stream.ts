import { PassThrough } from 'node:stream';
import { keyReadsOnly, mayCall } from '@tallyhand/contracts/kernel/access';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import { NotSignedIn } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Role } from '@tallyhand/contracts/kernel/role';
import { type Position, parsePosition } from '@tallyhand/service-kit/event-store/position';
import { setPosition } from '@tallyhand/service-kit/http/cookies';
import { problemOf, refusalOf } from '@tallyhand/service-kit/http/problem';
import { errorFields } from '@tallyhand/service-kit/log';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Kit } from './app.ts';
import { newestKnown } from './caller.ts';
import type { Answer } from './idempotency.ts';

const EVENTS_TYPE = 'text/event-stream';
const HEARTBEAT_MS = 15_000;
/** A caller that does not read is disconnected. */
const BUFFERED_BYTES_MAX = 1024 * 1024;

/** An answer that is streamed while it is generated, as server-sent events. */
export type EventStream = {
  /** The first event opens the answer: its status and headers are final. */
  readonly isOpen: boolean;
  /** `data` becomes JSON. Does nothing when the caller has gone away. */
  send(event: string, data: unknown, id?: string): void;
  end(): void;
};

/** Whether the caller requests events. */
export const wantsEvents = ({ headers }: FastifyRequest) =>
  (headers.accept ?? '')
    .split(',')
    .some((type) => type.split(';')[0]?.trim().toLowerCase() === EVENTS_TYPE);

/** How an event is written; empty for one that the reader does not get. */
export type EventFormat = (event: string, data: unknown, id?: string) => string;

const namedEvent: EventFormat = (event, data, id) => {
  const name = id === undefined ? `event: ${event}` : `id: ${id}\nevent: ${event}`;
  return `${name}\ndata: ${JSON.stringify(data)}\n\n`;
};

/** `onOpen` may still set headers. */
export function eventStream(
  reply: FastifyReply,
  onOpen: () => void,
  format: EventFormat = namedEvent,
): EventStream {
  const body = new PassThrough();
  let isOpen = false;
  let beating: NodeJS.Timeout | undefined;

  function write(text: string) {
    if (body.destroyed || body.writableEnded) return;
    if (body.writableLength + body.readableLength > BUFFERED_BYTES_MAX) reply.raw.destroy();
    else body.write(text);
  }

  function open() {
    isOpen = true;
    onOpen();
    // A caller who leaves closes the body, which is not a fault.
    body.on('error', () => {});
    body.once('close', () => clearInterval(beating));
    beating = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS);
    reply.code(200).header('x-accel-buffering', 'no').type(EVENTS_TYPE).send(body);
  }

  return {
    get isOpen() {
      return isOpen;
    },
    send(event, data, id) {
      if (!isOpen) open();
      write(format(event, data, id));
    },
    end() {
      clearInterval(beating);
      if (!body.destroyed) body.end();
    },
  };
}

const READ_MODELS_WAIT_MS = 2_000;
/** The time to read the last event after the caller's sign-in has ended. */
const FAREWELL_MS_MAX = 1_000;

export type StreamedAnswer = {
  readonly events: EventStream;
  /** A fault once the answer has begun: its status is already sent. */
  failure(error: unknown): Refusal;
  /** The last event: the whole answer. */
  give(answer: Answer): Promise<FastifyReply>;
  /** The last event: the problem. */
  fail(refused: Refusal): Promise<FastifyReply>;
};

type Streamed = {
  readonly endpoint: Endpoint;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
};

/** An answer as server-sent events; nothing is sent before the first of them. */
export function streamedAnswer(
  kit: Kit,
  caller: Caller,
  { endpoint, request, reply }: Streamed,
  format?: EventFormat,
): StreamedAnswer {
  const { settings, log, readPosition } = kit;
  const events = eventStream(
    reply,
    () => setPosition(reply, settings.publicUrl, newestKnown(kit, request)),
    format,
  );
  const isAllowed = (role: Role) =>
    mayCall(role, endpoint) && !(caller.kind === 'api-key' && keyReadsOnly(role, endpoint));
  const stopWatch = kit.credentialWatch.watch({ credentialId: caller.signInId, isAllowed }, () => {
    // The reply ends as for a caller that has left.
    events.send('failed', problemOf(NotSignedIn({}), request.id));
    events.end();
    setTimeout(() => reply.raw.destroy(), FAREWELL_MS_MAX).unref();
  });
  reply.raw.once('close', stopWatch);
  // The position comes too late for a cookie: the read models must have it before the caller.
  const reached = (position: Position) => readPosition.reached(position, READ_MODELS_WAIT_MS);
  return {
    events,
    failure(error) {
      if (!events.isOpen) throw error;
      const { method, id: correlationId, routeOptions } = request;
      const failed = { correlationId, method, route: routeOptions.url, ...errorFields(error) };
      log.error('request failed', failed);
      return refusalOf(error, 0);
    },
    async give({ body, position }) {
      const passed = parsePosition(position ?? '');
      if (passed) await reached(passed);
      events.send('reply', JSON.parse(body ?? 'null'), position ?? undefined);
      events.end();
      return reply;
    },
    async fail(refused) {
      await reached(kit.latest.current());
      events.send('failed', problemOf(refused, request.id));
      events.end();
      return reply;
    },
  };
}
