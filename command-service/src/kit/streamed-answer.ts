import { NotSignedIn } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import { type Position, parsePosition } from '@tallyhand/service-kit/event-store/position';
import { setPosition } from '@tallyhand/service-kit/http/cookies';
import { problemOf, refusalOf } from '@tallyhand/service-kit/http/problem';
import { errorFields } from '@tallyhand/service-kit/log';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, Kit } from './app.ts';
import { type EventStream, eventStream } from './event-stream.ts';
import type { Answer } from './idempotency.ts';
import { newestKnown } from './newest-known.ts';

const READ_MODELS_WAIT_MS = 2_000;
/** How long a caller whose sign-in has ended has to read that. */
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

/** An answer as server-sent events; nothing is sent before the first of them. */
export function streamedAnswer(
  kit: Kit,
  caller: Caller,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): StreamedAnswer {
  const { settings, log, readPosition } = kit;
  const events = eventStream(reply, () =>
    setPosition(reply, settings.publicUrl, newestKnown(kit, request)),
  );
  const stopWatch = kit.credentialWatch.watch(caller.signInId, () => {
    // The reply ends as for a caller that has left.
    events.send('failed', problemOf(NotSignedIn({}), request.id));
    events.end();
    setTimeout(() => reply.raw.destroy(), FAREWELL_MS_MAX).unref();
  });
  reply.raw.once('close', stopWatch);
  // The position comes too late for a cookie: the read models have it before the caller.
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
