import { backgroundContext } from '@tallyhand/command-service/kit/context';
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
import { startTestProduct, type TestProduct } from './product.ts';
import {
  type InternalSide,
  type Refused,
  ScriptedRunner,
  startInternalSide,
} from './scripted-runner.ts';

export const goal = 'Find the cheapest plan';

/** A member with an agent, in a new organization. */
export type Party = {
  readonly client: ApiClient;
  readonly userId: string;
  readonly organizationId: string;
  readonly agentId: string;
};

/** Starts a product, and another instance of its command service that runners call. */
export async function startSessionsProduct(settings: Partial<ApplicationConfig> = {}) {
  await using opening = new AsyncDisposableStack();
  const product = opening.use(await startTestProduct(settings));
  const internal = opening.use(await startInternalSide(product));
  return new SessionsProduct(product, internal, opening.move());
}

export class SessionsProduct implements AsyncDisposable {
  readonly product: TestProduct;
  readonly internal: InternalSide;
  readonly #running: AsyncDisposable;

  constructor(product: TestProduct, internal: InternalSide, running: AsyncDisposable) {
    this.product = product;
    this.internal = internal;
    this.#running = running;
  }

  runner(): ScriptedRunner {
    return new ScriptedRunner(this.internal);
  }

  async newParty(): Promise<Party> {
    const { client, user } = await registerOrganization(this.product.url);
    const agent = await client.call<{ id: string }>(createAgent, { body: agentInput });
    const { id: userId, organization } = user;
    return { client, userId, organizationId: organization.id, agentId: agent.body.id };
  }

  /** Ends the sessions that a test leaves behind: the next test's runner would receive them. */
  async clear() {
    const { kit, sessions } = this.internal.opened;
    const { rows } = await kit.pool.query<{ session_id: string; organization_id: string }>(
      'select session_id, organization_id from operational.open_sessions',
    );
    for (const { session_id: id, organization_id } of rows) {
      const data = { reason: 'by-person', terminatedBy: null } as const;
      await sessions.end(backgroundContext('reaction', organization_id), id, {
        type: 'TerminateSession',
        data,
      });
    }
  }

  startBy({ client, agentId }: Party, body: object = {}, headers = {}) {
    return client.call<Session & Refused>(startSession, {
      params: { id: agentId },
      body: { goal, ...body },
      headers,
    });
  }

  async started(party: Party, body: object = {}): Promise<Session> {
    const answer = await this.startBy(party, body);
    expect(answer.status).toBe(201);
    return answer.body;
  }

  /** A session that a runner holds, its browser open. */
  async running(party: Party, body: object = {}) {
    const { id } = await this.started(party, body);
    const by = this.runner();
    // With places left for other organizations.
    expect((await by.take(8)).sessionId).toBe(id);
    const browserSessionId = await by.open(id);
    return { id, by, browserSessionId };
  }

  /** Runners call another instance than readers: a read waits for the writes of both. */
  #atLeast({ cookies }: ApiClient) {
    const current = this.internal.opened.kit.latest.current();
    const own = parsePosition(cookies.get('tallyhand_position') ?? '') ?? current;
    return { headers: { [AT_LEAST_HEADER]: formatPosition(maxPosition(own, current)) } };
  }

  async read({ client }: Party, id: string): Promise<SessionDetail> {
    const options = { params: { id }, ...this.#atLeast(client) };
    return (await client.call<SessionDetail>(getSession, options)).body;
  }

  async credits({ client }: Party): Promise<number> {
    const { body } = await client.call<Organization>(getOrganization, this.#atLeast(client));
    return body.creditBalance;
  }

  /** The kinds of the ledger's entries, oldest first. */
  async entries({ client }: Party) {
    const { body } = await client.call<LedgerEntry[]>(listLedgerEntries, this.#atLeast(client));
    return body.map(({ kind }) => kind).reverse();
  }

  /** Adjusts the balance to so many credits. */
  async leave({ organizationId }: Party, credits: number) {
    const { features } = this.internal.opened;
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
  }

  [Symbol.asyncDispose]() {
    return this.#running[Symbol.asyncDispose]();
  }
}

/** Terminates, takes over or hands back. */
export const change = (by: ApiClient, endpoint: typeof terminateSession, id: string) =>
  by.call<Session & Refused>(endpoint, { params: { id } });
