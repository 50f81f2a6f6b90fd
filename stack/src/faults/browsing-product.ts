import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  calling,
  openAiPeer,
  type Received,
  sendJson,
} from '@tallyhand/agent-runtime/openai/fixtures/openai-peer';
import { chromiumsOf } from '@tallyhand/browser-runner/browser/fixtures/processes';
import { createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  getVerification,
  startVerification,
  type Verification,
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
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { readEnvironment } from '@tallyhand/service-kit/env';
import { freePort } from '@tallyhand/service-kit/free-port';
import { type ApiClient, agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import { Child } from '@tallyhand/test-kit/child';
import pg from 'pg';
import { expect, vi } from 'vitest';
import { startTestProduct } from '../testing/product.ts';
import { startSite } from '../testing/site/site.ts';

const GRANTED = 100;
/** How long the model thinks about a step. */
const THINK_MS = 200;
const ENDED = { timeout: 300_000, interval: 250 };
const PATHS = ['/moving', '/shop', '/plans', '/help'];
/** A killed runner loses its sessions soon; its heartbeat comes every 5 s. */
const watchTimes = {
  everyMs: 200,
  unseenMs: 8_000,
  lostMs: 60_000,
  runnerMs: 5_000,
  aloneMs: 120_000,
};

export type BrowsingProduct = Awaited<ReturnType<typeof startBrowsingProduct>>;

/**
 * The product, its browser runner as a separate process, and a model that opens one page after the
 * other, including a restless one, until its last step.
 */
export async function startBrowsingProduct() {
  await using opening = new AsyncDisposableStack();
  const site = opening.use(await startSite());
  let opened = 0;
  const peer = opening.use(
    await openAiPeer(async (response, { body }: Received) => {
      await wait(THINK_MS);
      peer.received.length = 0;
      const names = body.tools?.map((tool) => tool.function.name) ?? [];
      const url = `${site.origin}${PATHS[opened % PATHS.length]}`;
      opened += 1;
      const open = calling(['open_page', { reason: 'It is next.', url }]);
      sendJson(response, 200, names.includes('open_page') ? open : calling(['finish', END]));
    }),
  );
  const runner = opening.use(await runnerProcess());
  const product = opening.use(
    await startTestProduct({ watchTimes, runnerAddress: () => runner.address }),
  );
  const { config, internalUrl, url } = product;
  const startRunner = () =>
    runner.start({
      COMMAND_SERVICE_URL: internalUrl,
      INTERNAL_TOKEN: config.internalToken ?? '',
      PUBLIC_URL: config.publicUrl,
      ALLOW_PRIVATE_HOSTS: new URL(site.origin).host,
      OPENAI_API_KEY: 'none',
      OPENAI_BASE_URL: peer.baseURL,
      OPENAI_MODEL: 'peer',
    });
  await startRunner();
  const running = opening.move();
  return {
    runner,
    startRunner,
    url,
    /** Starts so many sessions in a new organization. */
    async start(count: number, maxSteps: number) {
      const { client } = await registerOrganization(url);
      const agent = await client.call<{ id: string }>(createAgent, { body: agentInput });
      const params = { id: agent.body.id };
      const body = { goal: 'Look at all of it', maxSteps };
      const sessions: Browsing[] = [];
      for (let at = 0; at < count; at += 1) {
        const answer = await client.call<Session>(startSession, { params, body });
        expect(answer.status).toBe(201);
        sessions.push(new Browsing(client, answer.body.id));
      }
      return { client, sessions };
    },
    /** The number of open sessions, of all members. */
    async open() {
      const database = new pg.Client({ connectionString: config.databaseUrl });
      await database.connect();
      const { rows } = await database.query('select from operational.open_sessions');
      await database.end();
      return rows.length;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const END = {
  reason: 'That was the last.',
  result: 'reached',
  summary: 'All was looked at.',
  keyFindings: [],
  nextSteps: [],
};

/** A session of a browsing product. */
export class Browsing {
  readonly id: string;
  readonly #client: ApiClient;

  constructor(client: ApiClient, id: string) {
    this.#client = client;
    this.id = id;
  }

  async read(): Promise<SessionDetail> {
    return (await this.#client.call<SessionDetail>(getSession, { params: { id: this.id } })).body;
  }

  /** Resolves when this many steps were taken, or the session has ended. */
  async steps(count: number): Promise<void> {
    await vi.waitUntil(async () => {
      const { session, steps } = await this.read();
      return session.endReason !== null || steps.length >= count;
    }, ENDED);
  }

  async ended(): Promise<SessionDetail> {
    await vi.waitUntil(async () => (await this.read()).session.endReason !== null, ENDED);
    return this.read();
  }
}

/** Each successful step was paid once, and nothing is reserved. */
export async function expectPaid(client: ApiClient, ended: readonly SessionDetail[]) {
  const succeeded = ended.flatMap(({ steps }) => steps.filter(({ success }) => success)).length;
  const used = ended.reduce((sum, { session }) => sum + session.totalCreditsUsed, 0);
  expect(used).toBe(succeeded);
  const credits = async () => {
    const { reserved, creditBalance } = (await client.call<Organization>(getOrganization)).body;
    return { reserved, creditBalance };
  };
  const paid = { reserved: 0, creditBalance: GRANTED - succeeded };
  await expect.poll(credits).toEqual(paid);
}

/** The ledgers are intact, and agree with the read models. */
export async function expectVerified(clients: readonly ApiClient[]) {
  for (const client of clients) {
    expect((await client.call(startVerification)).status).toBe(202);
    const status = async () => (await client.call<Verification>(getVerification)).body.status;
    await expect.poll(status).toBe('passed');
  }
}

const PAGE_BYTES = 4_096;
const main = fileURLToPath(new URL('../../../browser-runner/src/main.ts', import.meta.url));

type RunnerProcess = AsyncDisposable & {
  readonly address: string;
  /** Resolves when it is ready. */
  start(env: Readonly<Record<string, string>>): Promise<void>;
  pid(): number;
  /** The processes of its browser, the main one first. */
  browsers(): number[];
  /** Memory of the process and its browser. */
  bytes(): number;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves when it is gone. */
  stop(): Promise<void>;
  /** Files of the process and its browsers in the temporary folder. */
  leftovers(): string[];
};

/** The browser runner as a separate process, always at the same address. */
async function runnerProcess(): Promise<RunnerProcess> {
  // The sockets of a browser have short names only.
  const folder = mkdtempSync(join(tmpdir(), 'th-'));
  const port = await freePort();
  let child: Child | null = null;
  const end = async (by: 'SIGTERM' | 'SIGKILL') => void (await child?.end(by));
  const pid = () => child?.process.pid ?? 0;
  const browsers = () => {
    const all = chromiumsOf(pid());
    return all.toSorted((a, b) => depth(a, pid()) - depth(b, pid())).map(({ pid }) => pid);
  };

  return {
    address: `http://127.0.0.1:${port}`,
    async start(env) {
      const { PATH = '', HOME = '' } = readEnvironment();
      child = new Child([main], {
        env: { PATH, HOME, TMPDIR: folder, PORT: String(port), LOG_LEVEL: 'fatal', ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await child.says(/\n/);
    },
    pid,
    browsers,
    bytes: () => [pid(), ...browsers()].reduce((sum, pid) => sum + bytesOf(pid), 0),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    leftovers: () => readdirSync(folder),
    async [Symbol.asyncDispose]() {
      await end('SIGKILL');
      rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

const depth = ({ parent }: { parent: number }, root: number) => (parent === root ? 0 : 1);

/** Resident memory, without what is shared with others; zero for a process that has ended. */
function bytesOf(pid: number): number {
  try {
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'utf8')
      .split(' ')
      .map(Number);
    return (resident - shared) * PAGE_BYTES;
  } catch {
    return 0;
  }
}
