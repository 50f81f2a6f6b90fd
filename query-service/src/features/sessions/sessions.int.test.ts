import { createHash, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  getImage,
  getSession,
  listSessions,
  type Session,
  SessionDetail,
  type SessionStep,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { openBundle } from '@tallyhand/service-kit/audit-bundle/zip-reader';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Caller,
  type Columns,
  openTestQueryService,
  type TestQueryService,
} from '../../testing/test-query-service.ts';

let service: TestQueryService;
beforeAll(async () => {
  service = await openTestQueryService();
});
afterAll(() => service[Symbol.asyncDispose]());

async function session(own: Caller, columns: Columns = {}): Promise<string> {
  const id = randomUUID();
  await service.insert('sessions', {
    session_id: id,
    organization_id: own.organizationId,
    agent_id: randomUUID(),
    status: 'running',
    goal: 'Compare the plans',
    current_step: 0,
    max_steps: 15,
    requested_by: own.userId,
    created_at: new Date().toISOString(),
    ...columns,
  });
  return id;
}

async function step(own: Caller, of: string, number: number, columns: Columns = {}) {
  const id = randomUUID();
  await service.insert('session_steps', {
    step_id: id,
    organization_id: own.organizationId,
    session_id: of,
    step_number: number,
    action: 'open',
    tool_used: 'browser',
    input: 'https://plans.example/',
    output: 'Opened.',
    success: 'true',
    interrupted: 'false',
    execution_time_ms: 812,
    url: 'https://plans.example/',
    title: 'Plans',
    screenshots: '[]',
    created_at: '2026-11-21T08:00:00Z',
    ...columns,
  });
  return id;
}

/** Stores a picture for an organization; its text replaces the bytes of a PNG. */
async function image({ organizationId }: Caller, text: string): Promise<string> {
  const hash = createHash('sha256').update(text).digest('hex');
  await service.admin.query(
    'insert into operational.images (organization_id, hash, content) values ($1, $2, $3)',
    [organizationId, hash, Buffer.from(text)],
  );
  return hash;
}

const paid = (own: Caller, stepId: string, columns: Columns) =>
  service.entry(own.organizationId, {
    work_kind: 'step',
    work_id: stepId,
    reservation_id: stepId,
    amount: 1,
    price: 1,
    kind: 'charged',
    ...columns,
  });

const pathTo = (id: string) => pathOf(getSession, { id });

async function detailOf(own: Caller, id: string, query = ''): Promise<SessionDetail> {
  const { status, body } = await service.get(`${pathTo(id)}${query}`, own);
  expect(status).toBe(200);
  return SessionDetail.parse(body);
}

describe('the cost of a session', () => {
  it('counts a step that succeeded as what was reserved, until it is charged', async () => {
    const own = await service.caller();
    const id = await session(own);
    const steps = [await step(own, id, 1), await step(own, id, 2, { success: 'false' })];
    for (const [at, stepId] of steps.entries()) {
      await paid(own, stepId, { sequence: at + 1, kind: 'reserved', amount: 3 });
    }
    const detail = await detailOf(own, id);
    expect(detail.steps.map(({ creditsUsed }) => creditsUsed)).toEqual([3, 0]);
    expect(detail.session).toMatchObject({ totalCreditsUsed: 3 });
    await paid(own, steps[0] ?? '', { sequence: 3, amount: 3 });
    expect(await detailOf(own, id)).toMatchObject({ session: { totalCreditsUsed: 3 } });
  });

  it("is the ledger's charges for its steps minus refunds", async () => {
    const own = await service.caller();
    const id = await session(own, {
      status: 'completed',
      end_reason: 'goal-reached',
      current_step: 3,
      outcome: JSON.stringify({ summary: 'Done.', keyFindings: ['S: 4'], nextSteps: [] }),
    });
    const steps = [await step(own, id, 1), await step(own, id, 2)];
    await step(own, id, 3, { success: 'false' });
    await step(own, id, 4, { taken_by: own.userId });
    await paid(own, steps[0] ?? '', { sequence: 1 });
    await paid(own, steps[1] ?? '', { sequence: 2, member_id: own.userId });
    await paid(own, steps[0] ?? '', { sequence: 3, kind: 'refunded' });
    const detail = await detailOf(own, id);
    expect(detail.steps.map(({ creditsUsed }) => creditsUsed)).toEqual([0, 1, 0, 0]);
    expect(detail.steps.map(({ charge }) => charge?.sequence)).toEqual([
      1,
      2,
      undefined,
      undefined,
    ]);
    expect(detail.session).toMatchObject({
      totalCreditsUsed: 1,
      currentStep: 3,
      freeSteps: 1,
      workspaceData: { finalOutcome: { summary: 'Done.', totalSteps: 4, totalCredits: 1 } },
    });
  });
});

describe('the participants', () => {
  it('are named while they are members, and the agent while it exists', async () => {
    const own = await service.caller();
    await service.insert('members', {
      user_id: own.userId,
      organization_id: own.organizationId,
      username: 'Ada',
      email: 'ada@example.com',
      role: 'Admin',
      status: 'active',
      joined_at: '2026-11-01T00:00:00Z',
    });
    const [agent, gone] = [randomUUID(), randomUUID()];
    await service.agentNamed(own.organizationId, agent, 'Scout');
    const id = await session(own, { agent_id: agent, taken_over_by: gone });
    await step(own, id, 1, { taken_by: own.userId });
    const { session: seen, steps } = await detailOf(own, id);
    const ada = { id: own.userId, name: 'Ada' };
    expect(seen).toMatchObject({ agentName: 'Scout', requestedBy: ada, queuePosition: null });
    expect(seen.takenOverBy).toEqual({ id: gone, name: null });
    expect(steps[0]?.takenBy).toEqual(ada);
    await service.admin.query('update read_model.agents set deleted_at = now()');
    expect((await detailOf(own, id)).session.agentName).toBeNull();
  });
});

describe('the place in the queue', () => {
  it('is how many wait before it, those of other organizations too', async () => {
    const [own, other] = [await service.caller(), await service.caller()];
    const ids = [await session(other), await session(own, { status: 'queued' })];
    for (const [at, id] of ids.entries()) {
      await service.admin.query(
        `insert into operational.open_sessions
           (session_id, organization_id, added_at, deadline, is_requested)
         values ($1, $2, now() + $3::int * interval '1 second', now() + interval '1 hour', true)`,
        [id, (at === 0 ? other : own).organizationId, at],
      );
    }
    expect((await detailOf(own, ids[1] ?? '')).session.queuePosition).toBe(1);
  });
});

describe('GET /api/autonomous/sessions', () => {
  const idsIn = (body: unknown) => (body as Session[]).map(({ id }) => id);

  it('lists the newest first, by status and agent, page by page', async () => {
    const own = await service.caller('Viewer');
    const agent = randomUUID();
    const ids: string[] = [];
    for (const [at, status] of ['completed', 'running', 'completed', 'completed'].entries()) {
      const created_at = `2026-11-21T08:00:0${at}Z`;
      ids.unshift(
        await session(own, { status, created_at, ...(at > 0 ? { agent_id: agent } : {}) }),
      );
    }
    const all = await service.get(listSessions.path, own);
    expect([idsIn(all.body), all.headers.get('link')]).toEqual([ids, null]);
    const filter = `status=completed&agentId=${agent}`;
    const first = await service.get(`${listSessions.path}?${filter}&limit=1`, own);
    expect(idsIn(first.body)).toEqual([ids[0]]);
    const next = /<(.+)>/.exec(first.headers.get('link') ?? '')?.[1] ?? '';
    expect(next).toContain(filter);
    expect(idsIn((await service.get(next, own)).body)).toEqual([ids[1]]);
  });

  it('cuts a long context, and shows it whole with its session', async () => {
    const own = await service.caller();
    const id = await session(own, { context: 'x'.repeat(16_000) });
    const [listed] = (await service.get(listSessions.path, own)).body as Session[];
    expect(listed?.context).toHaveLength(2_000);
    expect((await detailOf(own, id)).session.context).toHaveLength(16_000);
  });
});

describe('screenshots', () => {
  async function withImages(own: Caller) {
    const id = await session(own);
    const hashes = [await image(own, 'first'), await image(own, 'second')];
    const gone = 'f'.repeat(64);
    await step(own, id, 2, { screenshots: JSON.stringify([hashes[1], gone, hashes[0]]) });
    await step(own, id, 1, { screenshots: JSON.stringify([hashes[0]]) });
    await step(own, id, 3);
    return { id, hashes, gone };
  }
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const shots = (steps: readonly SessionStep[]) => steps.map((one) => one.metadata.screenshots);

  it('are addresses, and the images themselves on request', async () => {
    const own = await service.caller();
    const { id, hashes, gone } = await withImages(own);
    const { session: seen, steps } = await detailOf(own, id);
    expect(shots(steps)).toEqual([[], [], []]);
    const urls = steps.map(({ metadata }) => metadata.screenshotUrls);
    const urlsOf = (...of: (string | undefined)[]) => of.map((hash) => `/api/blobs/${hash}`);
    expect(urls).toEqual([urlsOf(hashes[0]), urlsOf(hashes[1], gone, hashes[0]), []]);
    const whole = await detailOf(own, id, '?include=screenshots');
    expect(whole.session).toEqual(seen);
    const contents = [[base64('first')], [base64('second'), base64('first')], []];
    expect(shots(whole.steps)).toEqual(contents);
    const part = await service.get(`${pathTo(id)}/steps?include=screenshots`, own);
    expect(part.body).toEqual({ steps: whole.steps });
    expect(part.headers.get('content-disposition')).toBeNull();
  });

  it('are served unchanged, to their organization only', async () => {
    const [own, other] = [await service.caller('Viewer'), await service.caller()];
    const long = 'A picture. '.repeat(20_000);
    const path = pathOf(getImage, { hash: await image(own, long) });
    const { status, headers, text } = await service.get(path, own);
    expect([status, text]).toEqual([200, long]);
    expect(headers.get('content-type')).toBe('image/png');
    expect(headers.get('content-disposition')).toBeNull();
    expect(headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')).toContain('sandbox');
    const foreign = await service.get(path, other);
    expect([foreign.status, foreign.headers.get('cache-control')]).toEqual([404, 'no-store']);
    for (const none of ['0'.repeat(64), 'F'.repeat(64), 'x', '..%2Fevents']) {
      expect((await service.get(`/api/blobs/${none}`, own)).status).toBe(404);
    }
  });

  it('are in the export, numbered by step, as far as they exist', async () => {
    const own = await service.caller();
    const { id } = await withImages(own);
    const files = await exportOf(own, id);
    expect([...files.keys()]).toEqual([
      'screenshots/0001.png',
      'screenshots/0002.png',
      'screenshots/0002-2.png',
      'session.json',
    ]);
    expect([...files.values()].slice(0, 3).map(String)).toEqual(['first', 'second', 'first']);
    const told = SessionDetail.parse(JSON.parse(String(files.get('session.json'))));
    expect(shots(told.steps)).toEqual([
      ['screenshots/0001.png'],
      ['screenshots/0002.png', 'screenshots/0002-2.png'],
      [],
    ]);
    const { session: seen, steps } = await detailOf(own, id);
    expect(told.session).toEqual(seen);
    expect(told.steps.map(({ id: stepId }) => stepId)).toEqual(steps.map((one) => one.id));
  });
});

/** The files of a session's export as another program reads them. */
async function exportOf(own: Caller, id: string): Promise<Map<string, Buffer>> {
  const response = await fetch(`${service.url}${pathTo(id)}/export`, {
    headers: { cookie: own.cookie },
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/zip');
  expect(response.headers.get('content-disposition')).toContain(`session-${id}.zip`);
  const folder = await mkdtemp(join(tmpdir(), 'export-'));
  try {
    await writeFile(join(folder, 'session.zip'), Buffer.from(await response.arrayBuffer()));
    using bundle = await openBundle(join(folder, 'session.zip'));
    const files = new Map<string, Buffer>();
    for (const name of bundle.names) files.set(name, await buffer(bundle.read(name)));
    return files;
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('a session of another organization', () => {
  it.each(['', '/steps', '/export'])('is unknown to %s', async (part) => {
    const [own, other] = [await service.caller(), await service.caller()];
    const id = await session(other);
    expect((await service.get(`${pathTo(id)}${part}`, own)).status).toBe(404);
    expect((await service.get(`${pathTo(id)}${part}`, other)).status).toBe(200);
  });
});
