import type { Planner } from '@tallyhand/agent-runtime/browsing/planner';
import type { BrowsingAction } from '@tallyhand/contracts/features/sessions/browsing';
import {
  decideSessionApproval,
  getSession,
  type Session,
  type SessionDetail,
  startSession,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import type { DecideApprovalInput } from '@tallyhand/contracts/features/tasks/approvals.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import type { ApiClient } from '@tallyhand/test-kit/api-client';
import { expect } from 'vitest';

/** The agent's next action, by the outline of its page. */
export type Turn = (outline: string) => BrowsingAction;

/** The reference of an element with this label. */
export const refIn = (outline: string, name: string) =>
  new RegExp(`"${name}".*?\\[ref=((?:f\\d+)?e\\d+)\\]`).exec(outline)?.[1] ?? 'e0';

export const opens =
  (url: string): Turn =>
  () => ({ type: 'open', url });
export const clicks =
  (name: string): Turn =>
  (outline) => ({ type: 'click', ref: refIn(outline, name) });
export const types =
  (name: string, text: string, submit = false): Turn =>
  (outline) => ({ type: 'type', ref: refIn(outline, name), text, submit });
const finishes: Turn = () => ({
  type: 'finish',
  result: 'reached',
  summary: 'Done.',
  keyFindings: [],
  nextSteps: [],
});

/** Plans what a test has written down, by the number of the agent's steps so far. */
export class WrittenPlanner implements Planner {
  readonly model = 'written';
  readonly seesImages = false;
  turns: readonly Turn[] = [];

  async next({ page, steps }: Parameters<Planner['next']>[0]) {
    const taken = steps.filter(({ isByPerson }) => !isByPerson).length;
    const turn = this.turns[taken] ?? finishes;
    return { action: turn(page?.outline ?? ''), reasoning: 'As written.' };
  }
}

/** A session of an agent that asks before it does something. */
export class AskingSession {
  readonly #client: ApiClient;
  readonly id: string;

  static async start(client: ApiClient, agentId: string): Promise<AskingSession> {
    const started = { params: { id: agentId }, body: { goal: 'Refund order 7' } };
    const { status, body } = await client.call<Session>(startSession, started);
    expect(status).toBe(201);
    return new AskingSession(client, body.id);
  }

  constructor(client: ApiClient, id: string) {
    this.#client = client;
    this.id = id;
  }

  async detail(): Promise<SessionDetail> {
    const params = { id: this.id };
    return (await this.#client.call<SessionDetail>(getSession, { params })).body;
  }

  /** The session when it waits for that decision, counted from 1. */
  async waiting(count = 1): Promise<SessionDetail> {
    const waits = async () => {
      const { session, approvals } = await this.detail();
      return [approvals.length, session.approvalId !== null];
    };
    await expect.poll(waits, { interval: 100 }).toEqual([count, true]);
    return this.detail();
  }

  async ended(): Promise<SessionDetail> {
    const reason = async () => (await this.detail()).session.endReason;
    await expect.poll(reason, { interval: 100 }).not.toBeNull();
    return this.detail();
  }

  /** Decides on the latest approval. */
  async decide(body: Partial<DecideApprovalInput>, by: ApiClient = this.#client) {
    const approvalId = (await this.detail()).approvals.at(-1)?.id ?? '';
    return by.call<Problem>(decideSessionApproval, {
      params: { id: this.id },
      body: { approvalId, ...body },
    });
  }
}
