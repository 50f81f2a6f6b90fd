import { assignResources } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { chatWithAgent, type ReplyWaits } from '@tallyhand/contracts/features/chat/chat.endpoints';
import {
  type DecideApprovalInput,
  decideApproval,
} from '@tallyhand/contracts/features/tasks/approvals.endpoints';
import {
  executeTask,
  getTask,
  type TaskDetail,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { createTool, type Tool } from '@tallyhand/contracts/features/tools/tools.endpoints';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import {
  type ApiClient,
  agentWithArticle,
  registerOrganization,
  toolInput,
} from '@tallyhand/test-kit/api-client';
import { httpServer } from '@tallyhand/test-kit/http-server';
import { expect, vi } from 'vitest';

const parameters = [{ name: 'orderId', in: 'path', required: true, schema: { type: 'string' } }];

/** The API of a shop in which orders are looked up and refunded. */
export const shopDocument = JSON.stringify({
  openapi: '3.0.3',
  info: { title: 'Shop', version: '1' },
  paths: {
    '/orders/{orderId}': {
      get: { operationId: 'getOrder', summary: 'Tells the state of an order', parameters },
    },
    '/refunds/{orderId}': {
      post: { operationId: 'refundOrder', summary: 'Refunds an order', parameters },
    },
  },
});

export const shopConfig = (baseUrl: string) => ({
  baseUrl,
  authType: 'none',
  openapi: shopDocument,
});

export type Shop = AsyncDisposable & {
  readonly address: string;
  /** For `allowPrivateHosts`. */
  readonly host: string;
  /** The requests so far, as `POST /api/refunds/7`. */
  readonly seen: string[];
  /** The body of the next answer. */
  answering: () => Promise<string>;
};

/** Answers every request. */
export async function startShop(): Promise<Shop> {
  const seen: string[] = [];
  const done = () => Promise.resolve('{"done":true}');
  const server = await httpServer(async ({ url = '', method }, response) => {
    seen.push(`${method} ${url}`);
    const body = await shop.answering();
    shop.answering = done;
    response.setHeader('content-type', 'application/json').end(body);
  });
  const shop: Shop = {
    ...server,
    address: `${server.origin}/api`,
    seen,
    answering: done,
  };
  return shop;
}

type Decided = Pick<TaskDetail, 'id' | 'approvals'>;

/** An organization with an agent that uses the shop. */
export class ShopParty {
  readonly client: ApiClient;
  readonly agentId: string;
  readonly #articleId: string;
  readonly #address: string;

  static async of(client: ApiClient, address: string): Promise<ShopParty> {
    const { agent, article } = await agentWithArticle(client);
    return new ShopParty(client, { agentId: agent.id, articleId: article.id, address });
  }

  static async register(url: string, address: string): Promise<ShopParty> {
    return ShopParty.of((await registerOrganization(url)).client, address);
  }

  constructor(
    client: ApiClient,
    of: { readonly agentId: string; readonly articleId: string; readonly address: string },
  ) {
    this.client = client;
    this.agentId = of.agentId;
    this.#articleId = of.articleId;
    this.#address = of.address;
  }

  /** A tool of the shop, which the agent may use. */
  async tool(rest: object = {}): Promise<Tool> {
    const body = { ...toolInput, config: shopConfig(this.#address), authCredentials: {}, ...rest };
    const { body: made } = await this.client.call<Tool>(createTool, { body });
    await this.assign([made.id]);
    return made;
  }

  assign(tools: readonly string[], playbooks: readonly string[] = []) {
    const body = { articles: [this.#articleId], tools, playbooks };
    return this.client.call(assignResources, { params: { id: this.agentId }, body });
  }

  run(input: string, rest: object = {}) {
    return this.client.call<{ taskId: string } & Problem>(executeTask, {
      params: { id: this.agentId },
      body: { input, type: 'tool_run', ...rest },
    });
  }

  /** Starts a task that waits for its refund. */
  async refunding(input = 'Refund order 7: refundOrder'): Promise<TaskDetail> {
    const { status, body } = await this.run(input);
    expect(status).toBe(202);
    return this.waiting(body.taskId);
  }

  async detail(id: string): Promise<TaskDetail> {
    return (await this.client.call<TaskDetail>(getTask, { params: { id } })).body;
  }

  /** The task when it waits for that many decisions in all. */
  async waiting(taskId: string, approvals = 1): Promise<TaskDetail> {
    // Also before tests and in concurrent ones, where `expect.poll` does not work.
    return vi.waitFor(async () => {
      const task = await this.detail(taskId);
      expect([task.status, task.approvals.length]).toEqual(['waiting', approvals]);
      return task;
    });
  }

  async ended(taskId: string): Promise<TaskDetail> {
    await expect.poll(async () => (await this.detail(taskId)).status).toMatch(/success|failed/);
    return this.detail(taskId);
  }

  /** Decides on the latest call of the task, by default as the party's own member. */
  decide(task: Decided, body: Partial<DecideApprovalInput>, by = this.client) {
    return by.call<Problem>(decideApproval, {
      params: { id: task.id },
      body: { approvalId: task.approvals.at(-1)?.id ?? '', ...body },
    });
  }
}

/** A reply that waits for a decision on a refund, which no shop would get. */
export async function waitingReply(client: ApiClient) {
  const party = await ShopParty.of(client, 'https://shop.example/api');
  await party.tool();
  const body = { message: 'Orders: refund order 7 with refundOrder' };
  const params = { id: party.agentId };
  const answer = await client.call<ReplyWaits>(chatWithAgent, { params, body });
  expect(answer.status).toBe(202);
  const { conversationId: id, approvalId } = answer.body;
  return { id, approvalId };
}

/** A task that waits for a decision on a refund, which no shop would get. */
export async function waitingTask(client: ApiClient) {
  const party = await ShopParty.of(client, 'https://shop.example/api');
  await party.tool();
  const { id, approvals } = await party.refunding();
  return { id, approvalId: approvals.at(-1)?.id ?? '' };
}
