import { liveActionOf } from '@tallyhand/contracts/features/sessions/live.messages';
import type { authorizeViewer } from '@tallyhand/contracts/features/sessions/runner.endpoints';
import type { AnswerOf } from '@tallyhand/contracts/kernel/endpoint';
import { NotFound, NotSignedIn } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { FastifyRequest } from 'fastify';
import { findImage } from '../../kit/images.ts';
import { authenticate } from '../../kit/route.ts';
import { controlOf } from './assignments.ts';
import type { RequestedSession } from './session-state.ts';
import { statusOf } from './session-view.ts';
import type { Sessions } from './sessions.ts';

const ACTIONS_MAX = 10;

type Viewer = AnswerOf<typeof authorizeViewer>;
type Asked = { readonly sessionId: string; readonly withState: boolean };

/** Who watches a session, as long as their sign-in counts. */
export async function viewerOf(
  sessions: Sessions,
  cookies: FastifyRequest['cookies'],
  asked: Asked,
): Promise<Viewer | Refusal> {
  const caller = await authenticate(sessions.kit, { cookies, headers: {} });
  if (!caller) return NotSignedIn({});
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

/** By its own id, or that of one of its browsers. */
async function find({ load, open }: Sessions, id: string, organizationId: string) {
  const named = await load(id);
  const sessionId = named ? id : await open.sessionOf(id);
  const session = named ?? (sessionId ? await load(sessionId) : null);
  return session?.organizationId === organizationId ? session : NotFound({ what: 'session' });
}

/** What is known of it without its browser. */
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
