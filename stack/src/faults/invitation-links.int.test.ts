import { registerUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import {
  getInvitationLink,
  type InvitationLink,
  renewInvitationLink,
} from '@tallyhand/contracts/features/team/team.endpoints';
import { expect, it } from 'vitest';
import { apiClient, registerOrganization, testPassword } from '../testing/api-client.ts';
import { testDatabase, testEventStore } from '../testing/backends.ts';
import { reportFault } from '../testing/fault-runs.ts';
import { applicationProcess } from './application-process.ts';
import { startGate } from './event-store-gate.ts';

// Once in some runs the gate lets the revocation pass: that run shows nothing.
const TRIES = { retry: 2, timeout: 120_000 };

it(
  'a link whose process dies while it takes the place of another leaves the one that is shown',
  TRIES,
  async () => {
    await using database = await testDatabase();
    await using eventStore = await testEventStore();
    await using gate = await startGate(eventStore.url);
    await using application = await applicationProcess(database.url, gate.url);
    await application.start();
    const { client } = await registerOrganization(application.url);
    const { body: first } = await client.call<InvitationLink>(renewInvitationLink);
    const join = async (invite: string) => {
      const email = `${crypto.randomUUID()}@example.com`;
      const body = { email, username: 'Guest', password: testPassword, invite };
      return (await apiClient(application.url).call(registerUser, { body })).status;
    };
    const shown = async () => (await client.call<InvitationLink>(getInvitationLink)).body;

    const reached = gate.closeAt({ side: 'before', type: 'InvitationRevoked' });
    const unanswered = client.call(renewInvitationLink).catch(() => 'no answer');
    await reached;
    await application.kill();
    expect(await unanswered).toBe('no answer');
    gate.open();
    const since = performance.now();
    await application.start();

    expect((await shown()).id).toBe(first.id);
    expect(await join(first.token)).toBe(201);
    reportFault({ runs: 1, recoveryMs: performance.now() - since });
    const { body: next } = await client.call<InvitationLink>(renewInvitationLink);
    expect(await join(first.token)).toBe(409);
    expect(await join(next.token)).toBe(201);
  },
);
