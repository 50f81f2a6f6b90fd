import { sessionContext } from '@tallyhand/command-service/features/sessions/sessions';
import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type LedgerEntry,
  listLedgerEntries,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  getOrganization,
  type Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import {
  getSession,
  type Session,
  type SessionDetail,
  startSession,
  type terminateSession,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import {
  formatPosition,
  maxPosition,
  parsePosition,
} from '@tallyhand/service-kit/event-store/position';
import { AT_LEAST_HEADER } from '@tallyhand/service-kit/http/cookies';
import { type ApiClient, agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import { expect } from 'vitest';
import type { ApplicationConfig } from '../application/start.ts';
import { startTestProduct } from './product.ts';
import { type Refused, scriptedRunner, startInternalSide } from './scripted-runner.ts';

export const goal = 'Find the cheapest plan';

/** A member with an agent, in a new organization. */
export type Party = {
  readonly client: ApiClient;
  readonly userId: string;
  readonly organizationId: string;
  readonly agentId: string;
};

/** The product, and another instance of its command service that runners call. */
export type SessionsProduct = Awaited<ReturnType<typeof startSessionsProduct>>;

export async function startSessionsProduct(settings: Partial<ApplicationConfig> = {}) {
  await using opening = new AsyncDisposableStack();
  const product = opening.use(await startTestProduct(settings));
  const internal = opening.use(await startInternalSide(product));
  const running = opening.move();
  const runner = () => scriptedRunner(internal);

  async function newParty(): Promise<Party> {
    const { client, user } = await registerOrganization(product.url);
    const agent = await client.call<{ id: string }>(createAgent, { body: agentInput });
    const { id: userId, organization } = user;
    return { client, userId, organizationId: organization.id, agentId: agent.body.id };
  }

  /** Ends the sessions that a test leaves behind: the next test's runner would receive them. */
  async function clear() {
    const { kit, sessions } = internal.opened;
    const { rows } = await kit.pool.query<{ session_id: string; organization_id: string }>(
      'select session_id, organization_id from operational.open_sessions',
    );
    for (const { session_id: id, organization_id } of rows) {
      const data = { reason: 'by-person', terminatedBy: null } as const;
      await sessions.end(sessionContext(organization_id), id, { type: 'TerminateSession', data });
    }
  }

  return {
    product,
    internal,
    runner,
    newParty,
    clear,
    ...callsTo(runner),
    ...readsOf(internal.opened.kit.latest.current),
    /** Adjusts the balance to so many credits. */
    async leave({ organizationId }: Party, credits: number) {
      const { features } = internal.opened;
      const amount = credits - (await features.credits.available(organizationId));
      const context = {
        organizationId,
        commandId: newId(),
        correlationId: newId(),
        causationId: null,
        actor: { kind: 'operator' },
        now: new Date(),
      };
      const decided = { reason: 'A test', approver: 'The test' };
      const adjustment = { organizationId, adjustmentId: newId(), amount, ...decided };
      expect(await features.credits.adjust(context, adjustment)).toBeNull();
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function callsTo(runner: () => ReturnType<typeof scriptedRunner>) {
  const startBy = ({ client, agentId }: Party, body: object = {}, headers = {}) =>
    client.call<Session & Refused>(startSession, {
      params: { id: agentId },
      body: { goal, ...body },
      headers,
    });

  async function started(party: Party, body: object = {}): Promise<Session> {
    const answer = await startBy(party, body);
    expect(answer.status).toBe(201);
    return answer.body;
  }

  return {
    startBy,
    started,
    /** A session that a runner holds, its browser open. */
    async running(party: Party, body: object = {}) {
      const { id } = await started(party, body);
      const by = runner();
      // With places left for other organizations.
      expect((await by.take(8)).sessionId).toBe(id);
      const browserSessionId = await by.open(id);
      return { id, by, browserSessionId };
    },
  };
}

/** Runners call another instance than readers do: a read waits for what either has written. */
function readsOf(current: () => Parameters<typeof formatPosition>[0]) {
  function atLeast({ cookies }: ApiClient) {
    const own = parsePosition(cookies.get('tallyhand_position') ?? '') ?? current();
    return { headers: { [AT_LEAST_HEADER]: formatPosition(maxPosition(own, current())) } };
  }
  return {
    read: async ({ client }: Party, id: string) =>
      (await client.call<SessionDetail>(getSession, { params: { id }, ...atLeast(client) })).body,
    credits: async ({ client }: Party) =>
      (await client.call<Organization>(getOrganization, atLeast(client))).body.creditBalance,
    /** The kinds of the ledger's entries, the oldest first. */
    entries: async ({ client }: Party) =>
      (await client.call<LedgerEntry[]>(listLedgerEntries, atLeast(client))).body
        .map(({ kind }) => kind)
        .reverse(),
  };
}

/** Terminates, takes over or hands back. */
export const change = (by: ApiClient, endpoint: typeof terminateSession, id: string) =>
  by.call<Session & Refused>(endpoint, { params: { id } });
