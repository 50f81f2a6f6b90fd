import type { Agent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  getUsage,
  type LedgerEntry,
  listLedgerEntries,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  CreditsCharged,
  CreditsReserved,
} from '@tallyhand/contracts/features/credits/credits.events';
import type { CurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  exportSession,
  getImage,
  getSession,
  listSessions,
  type Session,
  SessionDetail,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import {
  SessionFailed,
  SessionTerminated,
} from '@tallyhand/contracts/features/sessions/sessions.events';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import {
  type ApiClient,
  agentInput,
  cookieOf,
  registerOrganization,
} from '@tallyhand/test-kit/api-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { audited } from '../testing/audit-pages.ts';
import { appendPast, pastSession, seen, sessionEventsOf } from '../testing/past-sessions.ts';
import { sharedProduct, type TestProduct } from '../testing/product.ts';

let product: TestProduct;
beforeAll(async () => {
  product = await sharedProduct();
});

type Own = { client: ApiClient; user: CurrentUser; organizationId: string; agentId: string };

async function newOwn(): Promise<Own & { userId: string }> {
  const { client, user } = await registerOrganization(product.url);
  const agent = await client.call<Agent>(createAgent, { body: agentInput });
  const organizationId = user.organization.id;
  return { client, user, userId: user.id, organizationId, agentId: agent.body.id };
}

const append = (own: Own, sessionId: string, ...events: EventValue[]) =>
  appendPast(product.config, `session-${sessionId}`, own.organizationId, events);

const PAGE_TOO_LARGE = {
  reason: 'runner-lost',
  error: 'The page used more than 200 MB of memory.',
  code: 'browser-lost',
  params: { megabytes: 200, reason: 'page-memory' },
} as const;

describe('a session', () => {
  it('is shown as its events come in', async () => {
    const own = await newOwn();
    const events = sessionEventsOf(own, 'Compare the plans');
    const { sessionId: id, requested } = events;
    await append(own, id, requested);
    const ada = { id: own.userId, name: own.user.username };
    const queued = await seen(own.client, id, () => true);
    expect(queued.session).toMatchObject({
      status: 'queued',
      agentId: own.agentId,
      agentName: agentInput.name,
      requestedBy: ada,
      originalGoal: 'Compare the plans',
      context: 'For one person.',
      maxSteps: 15,
      currentStep: 0,
      browserSessionId: null,
      startedAt: null,
      endedAt: null,
      workspaceData: { finalOutcome: null },
    });
    const started = events.started();
    const step = events.agentStep(1, { finding: { text: 'S: 4 EUR', url: null } });
    await append(own, id, started, step, events.takenOver, events.personStep(2));
    const running = await seen(own.client, id, ({ steps }) => steps.length === 2);
    expect(running.session).toMatchObject({
      status: 'running',
      currentStep: 1,
      takenOverBy: ada,
      queuePosition: null,
      browserSessionId: started.data.browserSessionId,
      model: 'built-in',
    });
    const { stepId, creditsUsed: _, finding, ...taken } = step.data;
    expect(running.steps[0]).toMatchObject({
      id: stepId,
      stepNumber: 1,
      action: taken.action,
      input: taken.input,
      takenBy: null,
      output: taken.output,
      reasoning: taken.reasoning,
      toolUsed: 'browser',
      finding,
      metadata: { url: taken.url, title: taken.title, screenshots: [], screenshotUrls: [] },
    });
    expect(running.steps[1]).toMatchObject({ action: 'click', takenBy: ada, charge: null });
    const again = events.started();
    await append(own, id, again, events.handedBack, events.completed);
    const done = await seen(own.client, id, ({ session }) => session.endedAt !== null);
    expect(SessionDetail.parse(done)).toEqual(done);
    expect(done.session).toMatchObject({
      status: 'completed',
      endReason: 'goal-reached',
      takenOverBy: null,
      errorMessage: null,
      // Another browser took it up; it began with the first.
      startedAt: running.session.startedAt,
      browserSessionId: again.data.browserSessionId,
      workspaceData: { finalOutcome: { ...events.completed.data.outcome, totalSteps: 2 } },
    });
  });

  it.each([
    ['failed', PAGE_TOO_LARGE],
    ['terminated', { reason: 'by-person', terminatedBy: null }],
  ] as const)('that %s reports why, and its outcome', async (status, end) => {
    const own = await newOwn();
    const { sessionId: id, organizationId, requested } = sessionEventsOf(own, 'Anything');
    const outcome = { summary: 'No step was taken.', keyFindings: [], nextSteps: ['Again.'] };
    const session = { sessionId: id, organizationId, outcome };
    const ended =
      end.reason === 'runner-lost'
        ? SessionFailed({ ...session, ...end })
        : SessionTerminated({ ...session, ...end });
    await append(own, id, requested, ended);
    const { session: shown } = await seen(own.client, id, (one) => one.session.endedAt !== null);
    const why =
      'error' in end
        ? { errorMessage: end.error, errorCode: end.code, errorParams: end.params }
        : { errorMessage: null, errorCode: null, errorParams: {} };
    expect(shown).toMatchObject({ status, endReason: end.reason, ...why });
    expect(shown.workspaceData.finalOutcome).toMatchObject(outcome);
  });

  it('is announced to its viewers, and recorded in the audit log', async () => {
    const own = await newOwn();
    const watching = new AbortController();
    const cookie = cookieOf(own.client);
    const changes = await fetch(`${product.url}/api/events`, {
      headers: { cookie },
      signal: watching.signal,
    });
    const { sessionId } = await pastSession(product.config, own.client, own);
    let received = '';
    for await (const chunk of changes.body ?? []) {
      received += Buffer.from(chunk).toString();
      if (received.includes('"sessions"')) break;
    }
    watching.abort();
    expect(received).toContain('"sessions"');
    const entries = await audited(own.client, { kind: 'session', object: sessionId });
    expect(entries.map(({ type }) => type)).toContain('StepTaken');
    expect(entries[0]?.object).toMatchObject({ kind: 'session', id: sessionId });
  });
});

describe('the credits of a session', () => {
  it('are those of the ledger, whose entries link back to it', async () => {
    const own = await newOwn();
    const { organizationId, agentId } = own;
    const events = sessionEventsOf(own, 'Compare the plans');
    const step = events.agentStep(1);
    const reservationId = step.data.stepId;
    const terms = {
      organizationId,
      reservationId,
      amount: 1,
      agentId,
      memberId: own.userId,
      work: { kind: 'step' as const, id: reservationId },
      workType: 'step' as const,
    };
    const { deadline: expiresAt } = events.requested.data;
    await appendPast(product.config, `ledger-${organizationId}`, organizationId, [
      CreditsReserved({ ...terms, price: 1, expiresAt }),
      CreditsCharged({ ...terms, price: 1 }),
    ]);
    await append(own, events.sessionId, events.requested, events.started(), step, events.completed);
    const { session, steps } = await seen(
      own.client,
      events.sessionId,
      (one) => one.session.totalCreditsUsed === 1,
    );
    expect(session.workspaceData.finalOutcome).toMatchObject({ totalSteps: 1, totalCredits: 1 });
    expect(steps).toMatchObject([
      { creditsUsed: 1, charge: { amount: 1, price: 1, memberName: own.user.username } },
    ]);
    const ledger = await own.client.call<LedgerEntry[]>(listLedgerEntries);
    const kinds = ledger.body.map(({ kind, sessionId }) => [kind, sessionId]);
    expect(kinds.slice(0, 2)).toEqual([
      ['charged', events.sessionId],
      ['reserved', events.sessionId],
    ]);
    expect(kinds.at(-1)).toEqual(['granted', null]);
    const usage = await own.client.call(getUsage, { query: { by: 'type' } });
    expect(usage.body).toEqual([{ key: 'step', name: null, credits: 1, count: 1 }]);
  });
});

describe('the stored data of a session', () => {
  it('can be read again, as pictures and as an archive', async () => {
    const own = await newOwn();
    const { sessionId: id, image } = await pastSession(product.config, own.client, own);
    const listed = await own.client.call<Session[]>(listSessions, {
      query: { status: 'completed', agentId: own.agentId },
    });
    expect(listed.body.map((one) => one.id)).toEqual([id]);
    const picture = await own.client.call<string>(getImage, { params: { hash: image } });
    expect(picture.body).toBe('A picture: Compare the plans');
    const include = { params: { id }, query: { include: 'screenshots' } };
    const { body } = await own.client.call<SessionDetail>(getSession, include);
    expect(body.steps.map(({ metadata }) => metadata.screenshots)).toEqual([
      [],
      [Buffer.from(picture.body).toString('base64')],
    ]);
    const archive = await own.client.call<string>(exportSession, { params: { id } });
    expect(archive.headers.get('content-type')).toBe('application/zip');
    for (const name of ['session.json', 'screenshots/0002.png']) {
      expect(archive.body).toContain(name);
    }
  });

  it.each(['status=gone', 'agentId=x', 'include=all', 'limit=0'])(
    'is not returned with %s',
    async (query) => {
      const { client } = await newOwn();
      const id = crypto.randomUUID();
      const path = query.startsWith('include') ? `${listSessions.path}/${id}` : listSessions.path;
      const answer = await client.send<{ errors: { path: string }[] }>('GET', `${path}?${query}`);
      const [field] = query.split('=');
      expect([answer.status, answer.body.errors.map((one) => one.path)]).toEqual([422, [field]]);
    },
  );
});
