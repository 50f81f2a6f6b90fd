import { createHash } from 'node:crypto';
import { eventsByCategory } from '@tallyhand/contracts/events';
import {
  getSession,
  type SessionDetail,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import {
  SessionApprovalRequested,
  SessionCompleted,
  SessionHandedBack,
  SessionRequested,
  SessionStarted,
  SessionTakenOver,
  StepTaken,
} from '@tallyhand/contracts/features/sessions/sessions.events';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { linkHash } from '@tallyhand/service-kit/crypto/hash-chain';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { openEventLog } from '@tallyhand/service-kit/event-store/event-log';
import { openPool } from '@tallyhand/service-kit/postgres/pool';
import type { ApiClient } from '@tallyhand/test-kit/api-client';
import { expect, vi } from 'vitest';
import type { TestProduct } from './product.ts';

type Config = TestProduct['config'];
type Own = { readonly organizationId: string; readonly userId: string; readonly agentId: string };

/** The current schema versions, by event type. */
const versions = new Map(
  Object.values(eventsByCategory).flatMap((kinds) =>
    Object.values<{ readonly type: string; readonly version: number }>(kinds).map(
      ({ type, version }) => [type, version] as const,
    ),
  ),
);

/** Appends to a stream of an organization past the product; ledgers stay a chain. */
export async function appendPast(
  { eventStoreUrl }: Config,
  stream: string,
  organizationId: string,
  events: readonly EventValue[],
  recordedAt = new Date().toISOString(),
): Promise<void> {
  const log = openEventLog(eventStoreUrl);
  try {
    const last = await log.last(stream);
    let prev = last?.envelope.link?.hash;
    const stored = events.map(({ type, data }) => {
      const envelope = {
        schemaVersion: versions.get(type) ?? 1,
        organizationId,
        actor: { kind: 'worker' },
        correlationId: newId(),
        causationId: null,
        commandId: newId(),
        recordedAt,
      };
      const event = { id: newId(), type, data, envelope };
      if (prev === undefined) return event;
      const link = { prev, hash: linkHash(prev, event) };
      prev = link.hash;
      return { ...event, envelope: { ...envelope, link } };
    });
    await log.append(stream, stored, last?.revision ?? null);
  } finally {
    await log.close();
  }
}

/** Keeps an image for an organization; gives its hash. */
export async function keepImage(
  { databaseUrl }: Config,
  organizationId: string,
  content: Buffer,
): Promise<string> {
  const hash = createHash('sha256').update(content).digest('hex');
  const pool = openPool(databaseUrl, 1);
  try {
    await pool.query(
      `insert into operational.images (organization_id, hash, content) values ($1, $2, $3)
       on conflict do nothing`,
      [organizationId, hash, content],
    );
  } finally {
    await pool.end();
  }
  return hash;
}

/** The events of one session, with the given data. */
export function sessionEventsOf({ organizationId, userId, agentId }: Own, goal: string) {
  const session = { sessionId: newId(), organizationId };
  const outcome = { summary: 'S is the cheapest.', keyFindings: ['S costs 4 EUR'], nextSteps: [] };
  const step = {
    ...session,
    takenBy: null,
    toolUsed: 'browser',
    reasoning: 'The goal names this page.',
    success: true,
    interrupted: false,
    creditsUsed: 1,
    executionTimeMs: 812,
    screenshots: [],
    finding: null,
    url: 'https://plans.example/',
    title: 'Plans',
    output: 'Done.',
  };
  const deadline = new Date(Date.now() + 3_600_000).toISOString();
  const asked = { agentId, goal, context: 'For one person.', requestedBy: userId };
  return {
    ...session,
    requested: SessionRequested({ ...session, ...asked, maxSteps: 15, price: 1, deadline }),
    started: () =>
      SessionStarted({
        ...session,
        browserSessionId: crypto.randomUUID(),
        model: 'built-in',
        agentVersion: 1,
        tools: [],
      }),
    /** Of the agent; it opened a page. */
    agentStep: (stepNumber: number, more: Partial<Parameters<typeof StepTaken>[0]> = {}) =>
      StepTaken({
        ...step,
        stepId: newId(),
        stepNumber,
        action: 'open',
        input: 'https://plans.example/',
        ...more,
      }),
    /** Of the person who took over; it is free. */
    personStep: (stepNumber: number) =>
      StepTaken({
        ...step,
        stepId: newId(),
        stepNumber,
        action: 'click',
        input: 'Prices',
        takenBy: userId,
        reasoning: null,
        creditsUsed: 0,
      }),
    asked: SessionApprovalRequested({
      ...session,
      approvalId: newId(),
      toolId: newId(),
      toolVersion: 1,
      toolName: 'Orders',
      operation: 'refundOrder',
      arguments: '{"orderId":"7"}',
      deadline,
    }),
    takenOver: SessionTakenOver({ ...session, takenOverBy: userId }),
    handedBack: SessionHandedBack({ ...session, handedBackBy: userId }),
    completed: SessionCompleted({ ...session, reason: 'goal-reached', outcome }),
  };
}

/** An ended session, with steps of an agent and a person, and a screenshot. */
export async function pastSession(
  config: Config,
  client: ApiClient,
  own: Own,
  goal = 'Compare the plans',
): Promise<{ sessionId: string; image: string }> {
  const { organizationId } = own;
  const image = await keepImage(config, organizationId, Buffer.from(`A picture: ${goal}`));
  const session = sessionEventsOf(own, goal);
  const finding = { text: 'S costs 4 EUR', url: 'https://plans.example/' };
  const { sessionId, requested, takenOver, handedBack, completed } = session;
  await appendPast(config, `session-${sessionId}`, organizationId, [
    requested,
    session.started(),
    takenOver,
    session.personStep(1),
    handedBack,
    session.agentStep(2, { success: false, creditsUsed: 0, screenshots: [image], finding }),
    completed,
  ]);
  await seen(client, sessionId, ({ session: { status } }) => status === 'completed');
  return { sessionId, image };
}

/** A session whose agent waits for a decision, without a browser. */
export async function waitingSession(config: Config, client: ApiClient, own: Own) {
  const session = sessionEventsOf(own, 'Refund order 7');
  const { sessionId: id, requested, asked } = session;
  const events = [requested, session.started(), asked];
  await appendPast(config, `session-${id}`, own.organizationId, events);
  const { approvalId } = asked.data;
  await seen(client, id, (detail) => detail.session.approvalId === approvalId);
  return { id, approvalId };
}

/** Waits until the reads show the session as expected. */
export async function seen(
  client: ApiClient,
  id: string,
  isThere: (detail: SessionDetail) => boolean,
): Promise<SessionDetail> {
  // Also before tests, where `expect.poll` does not work.
  return vi.waitFor(async () => {
    const { status, body } = await client.call<SessionDetail>(getSession, { params: { id } });
    expect(status).toBe(200);
    expect(isThere(body)).toBe(true);
    return body;
  });
}
