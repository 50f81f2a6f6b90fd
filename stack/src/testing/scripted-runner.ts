import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type OpenedKit, openKit } from '@tallyhand/command-service/app/open-kit';
import { start as startCommandService } from '@tallyhand/command-service/start';
import { LIVE_PATH, type LiveMessage } from '@tallyhand/contracts/features/sessions/live.messages';
import {
  type Assignment,
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
import { type ApiAnswer, type ApiClient, apiClient } from '@tallyhand/test-kit/api-client';
import { testKey } from '@tallyhand/test-kit/backends';
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
  const service = opening.use(await startCommandService(opened));
  const server = createServer((request, response) => {
    const isInternal = request.url?.startsWith('/internal/');
    (isInternal ? service.handleInternal : service.handle)(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opening.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const running = opening.move();
  return {
    token,
    opened,
    wanted: () => wanted,
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

type Poll = Parameters<NonNullable<typeof pollWork.body>['parse']>[0] & object;

/** A runner that a test directs, call by call. */
export function scriptedRunner({ url, token }: Pick<InternalSide, 'url' | 'token'>) {
  const runnerId = newId();
  const client = apiClient(url);
  const headers = { authorization: `Bearer ${token}` };
  const stepOf = (id: string, number: number) => ({ id, number: String(number) });

  const call = <E extends Endpoint>(
    endpoint: E,
    params: Readonly<Record<string, string>>,
    body: object,
  ): Promise<ApiAnswer<AnswerOf<E> & Refused>> => client.call(endpoint, { params, headers, body });

  async function must<E extends Endpoint>(
    endpoint: E,
    params: Readonly<Record<string, string>>,
    body: object,
  ): Promise<AnswerOf<E>> {
    const answer = await call(endpoint, params, body);
    expect(answer.body).toEqual(endpoint.answer?.parse(answer.body));
    return answer.body;
  }

  const poll = (asked: Poll = {}) =>
    must(
      pollWork,
      { id: runnerId },
      { address: 'http://127.0.0.1:1', free: 0, held: [], waitMs: 0, ...asked },
    );

  return {
    runnerId,
    call,
    poll,
    /** Takes the next waiting session, or with more free places all available ones. */
    async take(free = 1): Promise<Assignment> {
      // Like a real runner: a poll that ends without a session is followed by another.
      for (;;) {
        const { assigned } = await poll({ free, waitMs: 10_000 });
        if (assigned[0]) return assigned[0];
      }
    },
    async open(sessionId: string): Promise<string> {
      const browserSessionId = crypto.randomUUID();
      const body = { runnerId, browserSessionId, model: 'scripted' };
      await must(openedBrowser, { id: sessionId }, body);
      return browserSessionId;
    },
    begin: async (sessionId: string, number: number) =>
      (await must(beginStep, stepOf(sessionId, number), { runnerId })).answer,
    complete: (sessionId: string, number: number, change: Partial<StepReport> = {}) =>
      call(completeStep, stepOf(sessionId, number), { runnerId, step: { ...report, ...change } }),
    /** Begins a step and completes it. */
    async step(sessionId: string, number: number, change: Partial<StepReport> = {}) {
      expect(await this.begin(sessionId, number)).toBe('go');
      const { status } = await this.complete(sessionId, number, change);
      expect(status).toBe(200);
    },
    act: (sessionId: string, memberId: string, stepId = newId()) =>
      call(
        notePersonStep,
        { id: sessionId },
        { runnerId, memberId, stepId, step: { ...report, action: 'click' } },
      ),
    useTool: (sessionId: string, toolId: string, operation: string, args: object) =>
      must(useTool, { id: sessionId }, { runnerId, toolId, operation, args }),
    end: (sessionId: string, ending: object = {}) =>
      call(
        endSession,
        { id: sessionId },
        { runnerId, reason: 'goal-reached', error: null, outcome: null, ...ending },
      ),
  };
}

export type ScriptedRunner = ReturnType<typeof scriptedRunner>;

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
