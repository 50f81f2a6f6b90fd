import { once } from 'node:events';
import { type OpenedKit, openKit } from '@tallyhand/command-service/app/open-kit';
import { start as startCommandService } from '@tallyhand/command-service/start';
import { LIVE_PATH, type LiveMessage } from '@tallyhand/contracts/features/sessions/live.messages';
import {
  type Assignment,
  askApproval,
  beginStep,
  completeStep,
  endSession,
  notePersonStep,
  openedBrowser,
  pollWork,
  type StepReport,
  useTool,
} from '@tallyhand/contracts/features/sessions/runner.endpoints';
import type { AnswerOf, Endpoint } from '@tallyhand/contracts/kernel/endpoint';
import type { Problem } from '@tallyhand/contracts/kernel/problem';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { readsAt } from '@tallyhand/service-kit/http/reads';
import { type ApiAnswer, type ApiClient, apiClient } from '@tallyhand/test-kit/api-client';
import { testKey } from '@tallyhand/test-kit/backends';
import { httpServer } from '@tallyhand/test-kit/http-server';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import type { TestProduct } from './product.ts';

/** The smallest PNG: one pixel. */
export const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The body of a problem. */
export type Refused = Omit<Problem, 'status'>;

/** A successful step, as a runner reports it. */
export const report: StepReport = {
  action: 'open',
  toolUsed: 'browser',
  input: 'https://plans.example/',
  output: 'Opened the page "Plans".',
  reasoning: 'The goal names this page.',
  success: true,
  interrupted: false,
  executionTimeMs: 12,
  url: 'https://plans.example/',
  title: 'Plans',
  screenshots: [PIXEL],
  finding: null,
};

export type InternalSide = AsyncDisposable & {
  readonly url: string;
  readonly token: string;
  readonly opened: OpenedKit;
  /** How often a browser was asked for. */
  readonly wanted: () => number;
};

/** Another instance of the product's command service, which also answers runners. */
export async function startInternalSide(product: TestProduct): Promise<InternalSide> {
  await using opening = new AsyncDisposableStack();
  const token = testKey();
  let wanted = 0;
  const wantBrowser = () => {
    wanted += 1;
  };
  const config = { ...product.config, internalToken: token, wantBrowser };
  const opened = opening.use(await openKit(config));
  const service = opening.use(await startCommandService(opened, readsAt(product.url)));
  const server = await httpServer((request, response) => {
    const isInternal = request.url?.startsWith('/internal/');
    (isInternal ? service.handleInternal : service.handle)(request, response);
  });
  const { origin: url } = opening.use(server);
  const running = opening.move();
  return {
    token,
    opened,
    wanted: () => wanted,
    url,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

type Poll = Parameters<NonNullable<typeof pollWork.body>['parse']>[0] & object;

/** A runner that a test directs, call by call. */
export class ScriptedRunner {
  readonly runnerId = newId();
  readonly #client: ApiClient;
  readonly #headers: Readonly<Record<string, string>>;

  constructor({ url, token }: Pick<InternalSide, 'url' | 'token'>) {
    this.#client = apiClient(url);
    this.#headers = { authorization: `Bearer ${token}` };
  }

  call<E extends Endpoint>(
    endpoint: E,
    params: Params,
    body: object,
  ): Promise<ApiAnswer<AnswerOf<E> & Refused>> {
    return this.#client.call(endpoint, { params, headers: this.#headers, body });
  }

  async #must<E extends Endpoint>(endpoint: E, params: Params, body: object): Promise<AnswerOf<E>> {
    const answer = await this.call(endpoint, params, body);
    expect(answer.body).toEqual(endpoint.answer?.parse(answer.body));
    return answer.body;
  }

  poll(asked: Poll = {}) {
    const body = { address: 'http://127.0.0.1:1', free: 0, held: [], waitMs: 0, ...asked };
    return this.#must(pollWork, { id: this.runnerId }, body);
  }

  /** Takes the next waiting session, or with more free places all available ones. */
  async take(free = 1): Promise<Assignment> {
    // Like a real runner: a poll that ends without a session is followed by another.
    for (;;) {
      const { assigned } = await this.poll({ free, waitMs: 10_000 });
      if (assigned[0]) return assigned[0];
    }
  }

  async open(sessionId: string): Promise<string> {
    const browserSessionId = crypto.randomUUID();
    const body = { runnerId: this.runnerId, browserSessionId, model: 'scripted' };
    await this.#must(openedBrowser, { id: sessionId }, body);
    return browserSessionId;
  }

  async begin(sessionId: string, number: number) {
    const body = { runnerId: this.runnerId };
    return (await this.#must(beginStep, stepOf(sessionId, number), body)).answer;
  }

  complete(sessionId: string, number: number, change: Partial<StepReport> = {}) {
    const body = { runnerId: this.runnerId, step: { ...report, ...change } };
    return this.call(completeStep, stepOf(sessionId, number), body);
  }

  /** Begins a step and completes it. */
  async step(sessionId: string, number: number, change: Partial<StepReport> = {}) {
    expect(await this.begin(sessionId, number)).toBe('go');
    const { status } = await this.complete(sessionId, number, change);
    expect(status).toBe(200);
  }

  act(sessionId: string, memberId: string, stepId = newId()) {
    const { runnerId } = this;
    const body = { runnerId, memberId, stepId, step: { ...report, action: 'click' } };
    return this.call(notePersonStep, { id: sessionId }, body);
  }

  ask(
    sessionId: string,
    number: number,
    wanted: { toolId: string; operation: string; args: object },
  ) {
    const { runnerId } = this;
    const body = { runnerId, call: { kind: 'tool', ...wanted } };
    return this.#must(askApproval, stepOf(sessionId, number), body);
  }

  useTool(sessionId: string, toolId: string, operation: string, args: object) {
    const body = { runnerId: this.runnerId, toolId, operation, args };
    return this.#must(useTool, { id: sessionId }, body);
  }

  end(sessionId: string, ending: object = {}) {
    const { runnerId } = this;
    const body = { runnerId, reason: 'goal-reached', error: null, outcome: null, ...ending };
    return this.call(endSession, { id: sessionId }, body);
  }
}

type Params = Readonly<Record<string, string>>;
const stepOf = (id: string, number: number) => ({ id, number: String(number) });

type LiveViewer = {
  /** All messages; of the frames only the newest. */
  readonly heard: readonly LiveMessage[];
  say(message: object): void;
  close(): void;
};

/** Watches a session like a page of the product. */
export async function watchSession(
  url: string,
  { cookies }: ApiClient,
  sessionId: string,
): Promise<LiveViewer> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const address = `${url.replace('http', 'ws')}${LIVE_PATH}`;
  const socket = new WebSocket(address, { headers: { origin: url, cookie } });
  const heard: LiveMessage[] = [];
  socket.on('message', (data) => {
    const message = JSON.parse(data.toString()) as LiveMessage;
    const isFrame = message.type === 'live_update';
    if (isFrame && heard.at(-1)?.type === 'live_update') heard.pop();
    heard.push(message);
  });
  await once(socket, 'open');
  const say = (message: object) => socket.send(JSON.stringify(message));
  say({ type: 'subscribe_browser', sessionId });
  return { heard, say, close: () => socket.terminate() };
}
