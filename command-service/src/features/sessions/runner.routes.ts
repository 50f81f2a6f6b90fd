import { liveActionOf } from '@tallyhand/contracts/features/sessions/live.messages';
import {
  askApproval,
  authorizeViewer,
  beginStep,
  completeStep,
  endSession,
  handBackIdle,
  notePersonStep,
  openedBrowser,
  planStep,
  pollWork,
  useTool,
} from '@tallyhand/contracts/features/sessions/runner.endpoints';
import { getSession } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { mayCall } from '@tallyhand/contracts/kernel/access';
import type { AnswerOf } from '@tallyhand/contracts/kernel/endpoint';
import { NotFound, NotSignedIn } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import { internalRoute } from '@tallyhand/service-kit/http/internal-app';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authenticate } from '../../kit/authenticate.ts';
import { backgroundContext } from '../../kit/context.ts';
import { findImage } from '../../kit/stored-content.ts';
import { answerAsk } from './ask-approval.ts';
import { answerPoll, controlOf } from './assignments.ts';
import { SessionRuns } from './run-session.ts';
import type { RequestedSession } from './session-state.ts';
import { statusOf } from './sessions.routes.ts';
import type { Sessions } from './sessions.ts';

/** Of a command that the call leads to, on an organization's stream. */
const contextsOf =
  ({ id: correlationId }: FastifyRequest) =>
  (organizationId: string) =>
    backgroundContext('worker', organizationId, { correlationId });

/** The calls of browser runners. */
export function runnerRoutes(app: FastifyInstance, sessions: Sessions) {
  const closing = new AbortController();
  app.addHook('preClose', async () => closing.abort());
  const runs = new SessionRuns(sessions);

  /** Aborted when the caller has left, or this process ends. */
  function goneSignal({ raw }: FastifyReply): AbortSignal {
    const gone = new AbortController();
    raw.once('close', () => gone.abort());
    return AbortSignal.any([gone.signal, closing.signal]);
  }

  internalRoute(app, pollWork, ({ params, body, reply }) =>
    answerPoll(sessions, params.id, body, goneSignal(reply)),
  );
  internalRoute(app, openedBrowser, ({ params, body, request }) =>
    runs.opened(params.id, body, contextsOf(request)),
  );
  internalRoute(app, beginStep, ({ params, body, request }) =>
    runs.begin(
      { sessionId: params.id, stepNumber: params.number },
      body.runnerId,
      contextsOf(request),
    ),
  );
  internalRoute(app, planStep, ({ params, body, reply }) =>
    runs.plan(params.id, body, goneSignal(reply)),
  );
  internalRoute(app, completeStep, ({ params, body, request }) =>
    runs.complete({ sessionId: params.id, stepNumber: params.number }, body, contextsOf(request)),
  );
  internalRoute(app, notePersonStep, ({ params, body, request }) =>
    runs.notePersonStep(params.id, body, contextsOf(request)),
  );
  internalRoute(app, askApproval, ({ params, body, request }) =>
    answerAsk(
      sessions,
      { sessionId: params.id, stepNumber: params.number, contextFor: contextsOf(request) },
      body,
    ),
  );
  internalRoute(app, useTool, ({ params, body, reply, request }) =>
    runs.useTool(params.id, body, { gone: goneSignal(reply), contextFor: contextsOf(request) }),
  );
  internalRoute(app, handBackIdle, ({ params, body, request }) =>
    runs.handBack(params.id, body.runnerId, contextsOf(request)),
  );
  internalRoute(app, endSession, ({ params, body, request }) =>
    runs.end(params.id, body, contextsOf(request)),
  );
  internalRoute(app, authorizeViewer, ({ body }) =>
    viewerOf(sessions, app.parseCookie(body.cookie), body),
  );
}

const ACTIONS_MAX = 10;

type Viewer = AnswerOf<typeof authorizeViewer>;
type Asked = { readonly sessionId: string; readonly withState: boolean };

/** The viewer of a session, while their sign-in is valid. */
export async function viewerOf(
  sessions: Sessions,
  cookies: FastifyRequest['cookies'],
  asked: Asked,
): Promise<Viewer | Refusal> {
  const caller = await authenticate(sessions.kit, { cookies, headers: {} });
  if (isRefusal(caller)) return NotSignedIn({});
  if (!mayCall(caller.role, getSession)) return NotFound({ what: 'session' });
  const session = await find(sessions, asked.sessionId, caller.organizationId);
  if (isRefusal(session)) return session;
  const { sessionId, organizationId } = session;
  return {
    personId: caller.userId,
    organizationId,
    sessionId,
    status: statusOf(session),
    control: controlOf(session),
    runnerAddress: session.end ? null : await sessions.open.addressFor(sessionId),
    state: asked.withState ? await stateOf(sessions, session) : null,
  };
}

/** Finds a session by its id or that of one of its browsers. */
async function find(sessions: Sessions, id: string, organizationId: string) {
  const named = await sessions.load(id);
  const sessionId = named ? id : await sessions.open.sessionOf(id);
  const session = named ?? (sessionId ? await sessions.load(sessionId) : null);
  return session?.organizationId === organizationId ? session : NotFound({ what: 'session' });
}

/** The state as its recorded steps show it, without asking the browser. */
async function stateOf({ kit }: Sessions, session: RequestedSession): Promise<Viewer['state']> {
  const { steps, organizationId, requestedAt } = session;
  const last = steps.findLast(({ url }) => url !== null);
  const hash = steps.findLast(({ screenshots }) => screenshots.length > 0)?.screenshots[0];
  const screenshot = hash ? await findImage(kit.pool, organizationId, hash) : null;
  return {
    screenshot: screenshot?.toString('base64') ?? null,
    url: last?.url ?? null,
    title: last?.title ?? null,
    timestamp: steps.at(-1)?.at ?? requestedAt,
    actions: steps.slice(-ACTIONS_MAX).map((step) => liveActionOf(step, step.at)),
  };
}
