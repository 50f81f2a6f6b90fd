import { registerUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  getInvitationLink,
  type InvitationLink,
  renewInvitationLink,
} from '@tallyhand/contracts/features/team/team.endpoints';
import { apiClient, registerOrganization, testPassword } from '@tallyhand/test-kit/api-client';
import { testDatabase, testEventStore } from '@tallyhand/test-kit/backends';
import { reportFault } from '@tallyhand/test-kit/cases';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApplicationProcess, applicationProcess } from './application-process.ts';
import { type Boundary, type Gate, startGate } from './event-store-gate.ts';

let gate: Gate;
let application: ApplicationProcess;
const opened = new AsyncDisposableStack();

beforeAll(async () => {
  const database = opened.use(await testDatabase());
  const eventStore = opened.use(await testEventStore());
  gate = opened.use(await startGate(eventStore));
  application = opened.use(await applicationProcess(database.url, gate.url));
  await application.start();
});
afterAll(() => opened.disposeAsync());

/** The application dies at the boundary, while a link replaces the first one. */
async function cutAt(boundary: Boundary) {
  const { client } = await registerOrganization(application.url);
  const renew = async () => (await client.call<InvitationLink>(renewInvitationLink)).body;
  const first = await renew();
  const reached = gate.closeAt(boundary);
  const unanswered = client.call(renewInvitationLink).catch(() => 'no answer');
  await reached;
  await application.kill();
  expect(await unanswered).toBe('no answer');
  gate.open();
  const since = performance.now();
  await application.start();
  const shown = async () =>
    (await client.call<InvitationLink | null>(getInvitationLink)).body ?? null;
  return { first, renew, shown, since };
}

async function join({ token }: InvitationLink): Promise<number> {
  const email = `${crypto.randomUUID()}@example.com`;
  const body = { email, username: 'Guest', password: testPassword, invite: token };
  return (await apiClient(application.url).call(registerUser, { body })).status;
}

const CUTS = [
  { side: 'before', type: 'InvitationRevoked', left: 'the first' },
  { side: 'after', type: 'InvitationRevoked', left: 'none' },
  { side: 'before', type: 'InvitationIssued', left: 'none' },
  { side: 'after', type: 'InvitationIssued', left: 'the next' },
] as const;

describe('a link whose process dies while it replaces another', () => {
  it.each(CUTS)(
    '$side $type leaves $left, and is shown truthfully',
    async ({ left, ...boundary }) => {
      const { first, renew, shown, since } = await cutAt(boundary);
      const isShown = async () => {
        const link = await shown();
        if (link === null) return 'none';
        return link.id === first.id ? 'the first' : 'the next';
      };
      await expect.poll(isShown).toBe(left);
      const link = await shown();
      if (link) expect(await join(link)).toBe(201);
      expect(await join(first)).toBe(left === 'the first' ? 201 : 409);
      reportFault({ runs: 1, recoveryMs: performance.now() - since });

      const newest = await renew();
      const before = link ? [first, link] : [first];
      for (const each of before) expect(await join(each)).toBe(409);
      expect(await join(newest)).toBe(201);
    },
  );
});
