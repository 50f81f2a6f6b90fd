import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { LiveAction, LiveControl } from '@tallyhand/contracts/features/sessions/live.messages';
import type {
  Assignment,
  StepReport,
} from '@tallyhand/contracts/features/sessions/runner.endpoints';
import type { SessionStatus } from '@tallyhand/contracts/features/sessions/sessions.fields';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { jsonLog } from '@tallyhand/service-kit/log';
import { type HttpServer, httpServer } from '@tallyhand/test-kit/http-server';
import type { RunnerConfig } from '../config.ts';
import { type BrowserRunner, start } from '../start.ts';
import { type FakeHost, fakeHost } from './fake-browser.ts';
import { type ScriptedPlanner, scriptedPlanner } from './scripted-planner.ts';
import { AGENT } from './session.ts';

export const TOKEN = 'token-of-the-service-for-tests-0123';

type Body = {
  address: string;
  free: number;
  waitMs: number;
  held: { sessionId: string; control: string; personId?: string | null }[];
  cookie: string;
  sessionId: string;
  withState: boolean;
  step: StepReport;
  reason: string;
  error: string | null;
};

type PeerSession = {
  readonly sessionId: string;
  status: SessionStatus;
  control: LiveControl;
  runnerAddress: string | null;
  readonly actions: LiveAction[];
  /** Cookies of those who may watch, and who they are. */
  readonly viewers: Map<string, string>;
};

type Held = { sessionId: string; control: string; personId?: string | null };

/** What the command service of a test knows. */
class PeerState {
  readonly sessions = new Map<string, PeerSession>();
  readonly steps: StepReport[] = [];
  readonly personSteps: StepReport[] = [];
  readonly ends: { reason: string; error: string | null }[] = [];
  /** The last poll of each runner. */
  readonly polls = new Map<string, { free: number; held: Held[] }>();
  /** Cookies without a sign-in count for nothing. */
  readonly signedIn = new Set<string>();
  /** Called when there may be something new for a runner. */
  readonly listeners = new Set<() => void>();
  readonly #waiting: Assignment[] = [];

  add(changes: Partial<PeerSession> = {}): PeerSession {
    const session: PeerSession = {
      sessionId: newId(),
      status: 'running',
      control: AGENT,
      runnerAddress: null,
      actions: [],
      viewers: new Map(),
      ...changes,
    };
    this.sessions.set(session.sessionId, session);
    return session;
  }

  /** Given to the next runner that has room. */
  assign(assignment: Assignment): PeerSession {
    const { sessionId, control } = assignment;
    const session = this.sessions.get(sessionId) ?? this.add({ sessionId, control });
    session.status = 'queued';
    this.#waiting.push(assignment);
    this.#wake();
    return session;
  }

  steer(sessionId: string, control: LiveControl): void {
    const session = this.sessions.get(sessionId);
    if (session) session.control = control;
    this.#wake();
  }

  terminate(sessionId: string): void {
    const session = this.sessions.get(sessionId);
    if (session) session.status = 'terminated';
    this.#wake();
  }

  newsFor({ free, held }: { free: number; held: Held[] }, address: string) {
    const assigned = this.#waiting.splice(0, free);
    for (const { sessionId } of assigned) {
      const session = this.sessions.get(sessionId);
      if (session) Object.assign(session, { status: 'running', runnerAddress: address });
    }
    const changed = held.flatMap(({ sessionId, control, personId = null }) => {
      const session = this.sessions.get(sessionId);
      const isOpen = session?.status === 'running' && session.runnerAddress === address;
      const now = isOpen ? session.control : { by: 'ended', personId: null };
      if (now.by === control && now.personId === personId) return [];
      return [{ sessionId, control: now.by, personId: now.personId }];
    });
    return { assigned, changed };
  }

  #wake() {
    for (const listener of [...this.listeners]) listener();
  }
}

/** Answers a runner's internal calls as the command service would, from the state that a test sets. */
export class CommandPeer extends PeerState implements AsyncDisposable {
  #server: HttpServer | null = null;
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Starts, or starts again at the same address. */
  async start(): Promise<void> {
    const server = await httpServer((...call) => void answer(this, ...call), undefined, this.#port);
    this.#server = server;
    this.#port = server.port;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    await server?.[Symbol.asyncDispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}

export async function commandPeer(): Promise<CommandPeer> {
  const peer = new CommandPeer();
  await peer.start();
  return peer;
}

async function answer(state: PeerState, request: IncomingMessage, response: ServerResponse) {
  if (request.headers.authorization !== `Bearer ${TOKEN}`) {
    return send(response, 401, { code: 'not-signed-in' });
  }
  const body = (await json(request)) as Body;
  const [, kind = '', id = '', what = '', , last = ''] = (request.url ?? '').split('/').slice(1);
  if (kind === 'viewers') return authorize(state, body, response);
  if (kind === 'runners') return poll(state, id, body, response);
  const session = state.sessions.get(id);
  if (session?.status !== 'running') return send(response, 409, { code: 'session-ended' });
  if (last === 'begin') {
    return send(response, 200, { answer: session.control.by === 'agent' ? 'go' : 'wait' });
  }
  if (last === 'complete') state.steps.push(body.step);
  if (what === 'person-steps') state.personSteps.push(body.step);
  if (what === 'hand-back') state.steer(id, AGENT);
  if (what === 'end') {
    state.ends.push({ reason: body.reason, error: body.error });
    session.status = body.error === null ? 'completed' : 'failed';
  }
  return send(response, 200, { ok: true });
}

/** Immediately when there is something new, otherwise after the longest wait. */
function poll(state: PeerState, runnerId: string, body: Body, response: ServerResponse) {
  const { free, held, address, waitMs } = body;
  state.polls.set(runnerId, { free, held });
  const tell = (isLast: boolean) => {
    const news = state.newsFor(body, address);
    if (!isLast && news.assigned.length + news.changed.length === 0) return;
    stopWaiting();
    send(response, 200, news);
  };
  const look = () => tell(false);
  const timer = setTimeout(() => tell(true), waitMs);
  const stopWaiting = () => {
    state.listeners.delete(look);
    clearTimeout(timer);
  };
  state.listeners.add(look);
  response.once('close', stopWaiting);
  look();
}

function authorize(state: PeerState, body: Body, response: ServerResponse) {
  const { cookie, sessionId, withState } = body;
  if (!state.signedIn.has(cookie)) return send(response, 401, { code: 'not-signed-in' });
  const session = state.sessions.get(sessionId);
  const personId = session?.viewers.get(cookie);
  if (!session || !personId) return send(response, 404, { code: 'not-found' });
  const { status, control, runnerAddress, actions } = session;
  const timestamp = new Date().toISOString();
  const page = { screenshot: 'AAAA', url: 'https://a.example/', title: 'Stored', timestamp };
  const stored = withState ? { ...page, actions: actions.slice(-10) } : null;
  const who = { personId, organizationId: newId(), sessionId };
  return send(response, 200, { ...who, status, control, runnerAddress, state: stored });
}

function send(response: ServerResponse, status: number, body: unknown) {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

export const PUBLIC_URL = 'https://tallyhand.example';

export type TestRunner = AsyncDisposable & {
  readonly runner: BrowserRunner;
  readonly host: FakeHost;
  readonly planner: ScriptedPlanner;
};

/** A real runner at a command service of the test's, with a browser and a planner of the test's. */
export async function testRunner(
  peer: CommandPeer,
  planner: ScriptedPlanner = scriptedPlanner(),
  settings: Partial<RunnerConfig> = {},
): Promise<TestRunner> {
  const host = fakeHost();
  const config: RunnerConfig = {
    commandServiceUrl: peer.url,
    internalToken: TOKEN,
    publicUrl: PUBLIC_URL,
    host: '127.0.0.1',
    port: 0,
    sessionsMax: 4,
    model: {},
    ownOrigins: [],
    log: jsonLog('test', 'silent'),
    ...settings,
  };
  const runner = await start(config, { host, planner });
  return { runner, host, planner, [Symbol.asyncDispose]: () => runner[Symbol.asyncDispose]() };
}
