import {
  authorizeViewer,
  beginStep,
  completeStep,
  endSession,
  handBackIdle,
  notePersonStep,
  openedBrowser,
  pollWork,
  useTool,
} from '@tallyhand/contracts/features/sessions/runner.endpoints';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { internalRoute } from '../../kit/internal-route.ts';
import { answerPoll } from './poll-work.ts';
import { runsOf } from './run-session.ts';
import type { Sessions } from './sessions.ts';
import { viewerOf } from './viewers.ts';

/** What browser runners call. */
export function runnerRoutes(app: FastifyInstance, sessions: Sessions) {
  const closing = new AbortController();
  app.addHook('preClose', async () => closing.abort());
  const runs = runsOf(sessions);

  /** Aborted when the caller has left, or this process ends. */
  function goneSignal({ raw }: FastifyReply): AbortSignal {
    const gone = new AbortController();
    raw.once('close', () => gone.abort());
    return AbortSignal.any([gone.signal, closing.signal]);
  }

  internalRoute(app, pollWork, ({ params, body, reply }) =>
    answerPoll(sessions, params.id, body, goneSignal(reply)),
  );
  internalRoute(app, openedBrowser, ({ params, body, contextFor }) =>
    runs.opened(params.id, body, contextFor),
  );
  internalRoute(app, beginStep, ({ params, body, contextFor }) =>
    runs.begin({ sessionId: params.id, stepNumber: params.number }, body.runnerId, contextFor),
  );
  internalRoute(app, completeStep, ({ params, body, contextFor }) =>
    runs.complete({ sessionId: params.id, stepNumber: params.number }, body, contextFor),
  );
  internalRoute(app, notePersonStep, ({ params, body, contextFor }) =>
    runs.notePersonStep(params.id, body, contextFor),
  );
  internalRoute(app, useTool, ({ params, body, reply }) =>
    runs.useTool(params.id, body, goneSignal(reply)),
  );
  internalRoute(app, handBackIdle, ({ params, body, contextFor }) =>
    runs.handBack(params.id, body.runnerId, contextFor),
  );
  internalRoute(app, endSession, ({ params, body, contextFor }) =>
    runs.end(params.id, body, contextFor),
  );
  internalRoute(app, authorizeViewer, ({ body }) =>
    viewerOf(sessions, app.parseCookie(body.cookie), body),
  );
}
