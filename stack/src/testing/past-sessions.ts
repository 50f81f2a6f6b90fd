import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { eventsByCategory } from '@tallyhand/contracts/events';
import { type Agent, createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  CreditsCharged,
  CreditsReserved,
} from '@tallyhand/contracts/features/credits/credits.events';
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
import { type ApiClient, agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
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

type Step = ReturnType<ReturnType<typeof sessionEventsOf>['agentStep']>;

/** The ledger entries of a successful step. */
function paid({ organizationId, agentId, userId: memberId }: Own, { data }: Step) {
  const reservationId = data.stepId;
  const terms = {
    organizationId,
    reservationId,
    amount: 1,
    agentId,
    memberId,
    price: 1,
    work: { kind: 'step' as const, id: reservationId },
    workType: 'step' as const,
  };
  const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
  return [CreditsReserved({ ...terms, expiresAt }), CreditsCharged(terms)];
}

/** The picture of an empty page, as PNG: a screenshot would need a browser's page. */
function emptyPicture(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const named = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(named));
    return Buffer.concat([length, named, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits of grey for each pixel.
  header[8] = 8;
  // Each line begins with how it is filtered, which is not at all; then all is white.
  const line = Buffer.alloc(width + 1, 0xff);
  line[0] = 0;
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.concat(Array<Buffer>(height).fill(line)))),
    chunk('IEND', Buffer.of()),
  ]);
}

/** A session that ended after five steps; the third was a member's, the fourth has a picture. */
export async function filmedSession({ url, config }: TestProduct) {
  const { client, user } = await registerOrganization(url);
  const agent = await client.call<Agent>(createAgent, { body: agentInput });
  const organizationId = user.organization.id;
  const own = { organizationId, userId: user.id, agentId: agent.body.id };
  const image = await keepImage(config, organizationId, emptyPicture(1_280, 800));
  const events = sessionEventsOf(own, 'Compare the plans');
  const { sessionId: id } = events;
  const finding = { text: 'S costs 4 EUR', url: 'https://plans.example/prices' };
  const charged = [
    events.agentStep(1),
    events.agentStep(4, { screenshots: [image], input: 'p'.repeat(60) }),
    events.agentStep(5, { action: 'note', finding }),
  ] as const;
  const [first, fourth, fifth] = charged;
  const ledger = charged.flatMap((step) => paid(own, step));
  await appendPast(config, `ledger-${organizationId}`, organizationId, ledger);
  await appendPast(config, `session-${id}`, organizationId, [
    events.requested,
    events.started(),
    first,
    events.agentStep(2, { success: false, creditsUsed: 0, output: 'The page did not answer.' }),
    events.takenOver,
    events.personStep(3),
    events.handedBack,
    fourth,
    fifth,
    events.completed,
  ]);
  const isWhole = ({ session, steps }: SessionDetail) =>
    session.status === 'completed' && session.totalCreditsUsed === 3 && steps.length === 5;
  await seen(client, id, isWhole);
  return { id, client, user };
}
