import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  type ExecutionResult,
  executeTask,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import type { Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import { type ApiClient, agentInput } from '@tallyhand/test-kit/api-client';
import { expect } from 'vitest';

const TASK_CALLERS = 3;
/** Far below the credits of a new organization. */
const TASKS_MAX = 80;
const PAUSE_MS = 60;
const TRIED_MS_MAX = 180_000;

/**
 * Calls that continue while something breaks; each is retried with its key until it is answered.
 */
export type Load = {
  /** Ids of the acknowledged work. */
  readonly tasks: ReadonlySet<string>;
  readonly agents: ReadonlySet<string>;
  /** Statuses of answers that were no success. */
  readonly refused: ReadonlySet<number>;
  /** Resolves when as many more calls as this were begun and acknowledged. */
  progress(more: number, msMax: number): Promise<void>;
  /** No new calls; running ones are retried to their end. */
  stop(): Promise<void>;
};

export function startLoad(client: ApiClient, agentId: string): Load {
  const tasks = new Set<string>();
  const agents = new Set<string>();
  const refused = new Set<number>();
  let isStopped = false;
  let begun = 0;

  async function untilAnswered<B>(endpoint: Endpoint, options: object): Promise<B> {
    const deadline = performance.now() + TRIED_MS_MAX;
    const headers = { 'idempotency-key': crypto.randomUUID() };
    for (;;) {
      const answer = await client.call<B>(endpoint, { ...options, headers }).catch(() => null);
      if (answer?.status === 200 || answer?.status === 201) return answer.body;
      if (answer) refused.add(answer.status);
      if (performance.now() > deadline) throw new Error(`${endpoint.name} was never answered`);
      await pause();
    }
  }

  async function runTasks() {
    while (!isStopped && begun < TASKS_MAX) {
      begun += 1;
      const options = { params: { id: agentId }, body: { input: 'Within how many days?' } };
      const result = await untilAnswered<ExecutionResult>(executeTask, options);
      expect(result.error).toBeNull();
      tasks.add(result.taskId);
      await pause();
    }
  }

  async function makeAgents() {
    while (!isStopped) {
      agents.add((await untilAnswered<{ id: string }>(createAgent, { body: agentInput })).id);
      await pause();
    }
  }

  const callers = [...Array.from({ length: TASK_CALLERS }, runTasks), makeAgents()];
  const done = Promise.all(callers);
  // The caller that stops the load handles it; until then it must not count as unhandled.
  done.catch(() => {});
  return {
    tasks,
    agents,
    refused,
    async progress(more, msMax) {
      const goal = tasks.size + more;
      const reached = () => tasks.size >= goal;
      await expect.poll(reached, { timeout: msMax, interval: 20 }).toBe(true);
    },
    async stop() {
      isStopped = true;
      await done;
    },
  };
}

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
