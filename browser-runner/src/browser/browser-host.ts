import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import {
  PagesTooLarge,
  PageTooLarge,
} from '@tallyhand/contracts/features/sessions/session-failures';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import type { Browser, BrowserContext } from 'playwright';
import { launchChromium } from '../chromium.ts';
import { filteringProxy } from '../proxy/filtering-proxy.ts';
import type { ProxyClient, ProxyLimits } from '../proxy/proxy-client.ts';
import type { BrowserHost, SessionBrowser } from '../session-browser.ts';
import { fileTexts } from './file-text.ts';
import { VIEWPORT } from './page-tools.ts';
import { sessionBrowser } from './session-context.ts';

export type BrowserConfig = {
  /** The addresses that pages may reach. */
  policy: OutboundPolicy;
  /** How long an unused browser stays open. */
  idleMs?: number;
  actionMsMax?: number;
  /** How long a page may take to react before it counts as stuck. */
  answerMsMax?: number;
  /** Of one page's process. */
  pageBytesMax?: number;
  traffic?: Partial<ProxyLimits>;
};

const CONTEXT_CLOSE_MS_MAX = 2_500;

/** Launches a Chromium with the first session, and closes it when there was none for a while. */
export function browserHost(config: BrowserConfig): BrowserHost {
  const { idleMs = 60_000, actionMsMax = 45_000, pageBytesMax = 512_000_000 } = config;
  const proxy = filteringProxy(config.policy, config.traffic);
  proxy.catch(() => undefined);
  const files = fileTexts(config.policy);
  const sessions = new Set<SessionBrowser>();
  let running: Promise<BrowserProcess> | undefined;
  let users = 0;
  let idle: NodeJS.Timeout | undefined;
  let isClosed = false;

  const start = async () => {
    if (isClosed) throw new Error('The browser host is closed.');
    if (running !== undefined) return running;
    const starting = proxy.then(({ server }) => startBrowser(server, pageBytesMax));
    running = starting;
    const forget = () => {
      if (running === starting) running = undefined;
    };
    starting.then(({ browser }) => browser.once('disconnected', forget), forget);
    return starting;
  };
  const stop = async () => {
    const stopping = running;
    running = undefined;
    await (await stopping?.catch(() => undefined))?.close();
  };
  const release = () => {
    users -= 1;
    clearTimeout(idle);
    if (users === 0 && !isClosed) idle = setTimeout(() => void stop(), idleMs).unref();
  };

  const open = async (organizationId: string): Promise<SessionBrowser> => {
    const chromium = await start();
    const client = (await proxy).admit();
    const context = await newContext(chromium, await proxy, client);
    const session = sessionBrowser(context, client, {
      actionMsMax,
      answerMsMax: config.answerMsMax,
      files: files.readerFor(organizationId),
      crashReason: chromium.memoryCrash,
      async onClose() {
        sessions.delete(session);
        const closed = context.close().then(
          () => true,
          () => true,
        );
        const late = AbortSignal.timeout(CONTEXT_CLOSE_MS_MAX);
        const isClosing = await Promise.race([closed, once(late)]);
        // A browser that can't even close a context is useless.
        if (!isClosing) chromium.kill();
        release();
      },
    });
    sessions.add(session);
    return session;
  };

  return {
    async open(organizationId) {
      users += 1;
      clearTimeout(idle);
      try {
        // The browser may have crashed just now: the second attempt uses another one.
        return await open(organizationId).catch(() => open(organizationId));
      } catch (error) {
        release();
        throw error;
      }
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      clearTimeout(idle);
      await Promise.all([...sessions].map((session) => session[Symbol.asyncDispose]()));
      await stop();
      await files[Symbol.asyncDispose]();
      await (await proxy)[Symbol.asyncDispose]();
    },
  };
}

const once = (signal: AbortSignal) =>
  new Promise<false>((resolve) => signal.addEventListener('abort', () => resolve(false)));

async function newContext(
  { browser }: BrowserProcess,
  { server }: { server: string },
  client: ProxyClient,
): Promise<BrowserContext> {
  try {
    const context = await browser.newContext({
      viewport: VIEWPORT,
      acceptDownloads: false,
      serviceWorkers: 'block',
      permissions: [],
      proxy: { server, username: client.username, password: client.password },
    });
    return context;
  } catch (error) {
    client[Symbol.dispose]();
    throw error;
  }
}

const CLOSE_MS_MAX = 2_000;
const MEMORY_LOOK_MS = 500;
/** Large ones, of all sessions together. */
const PAGES_AT_ONCE = 4;
/** How long after ending a renderer the crash of its page is attributed to that. */
const CRASH_MS = 3_000;

const FLAGS = [
  // Scripts end by themselves before the whole machine suffers; the rest is watched.
  '--js-flags=--max-old-space-size=512',
  // Nothing goes around the proxy: no names are resolved here, and no datagrams are sent.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-features=WebTransport,DnsOverHttps,AsyncDns',
];

type BrowserProcess = {
  browser: Browser;
  /** Why a page crashed this moment, if it was because of its memory. */
  memoryCrash(): Sentence | undefined;
  /** At once. */
  kill(): void;
  /** Ends the browser and all its processes. */
  close(): Promise<void>;
};

/** A running Chromium with a memory limit per page. */
async function startBrowser(proxyServer: string, pageBytesMax: number): Promise<BrowserProcess> {
  const browser = await launchChromium({
    flags: FLAGS,
    proxy: { server: proxyServer },
    handlesSignals: false,
  });
  const client = await browser.newBrowserCDPSession();
  const processes = async () => (await client.send('SystemInfo.getProcessInfo')).processInfo;
  const pid = (await processes()).find(({ type }) => type === 'browser')?.id;
  const kill = () => {
    try {
      // Playwright makes each browser the leader of a group; a negative number names the group.
      if (pid !== undefined) process.kill(-pid, 'SIGKILL');
    } catch {
      // It is gone already.
    }
  };
  let ended: { readonly at: number; readonly why: Sentence } | undefined;
  const watching = setInterval(() => {
    void processes()
      .then((all) => endLarge(all, pageBytesMax))
      .then((why) => {
        if (why !== null) ended = { at: performance.now(), why };
      })
      .catch(() => undefined);
  }, MEMORY_LOOK_MS);
  browser.once('disconnected', () => {
    clearInterval(watching);
    kill();
  });
  return {
    browser,
    memoryCrash: () => (ended && performance.now() - ended.at < CRASH_MS ? ended.why : undefined),
    kill,
    async close() {
      clearInterval(watching);
      const closed = browser.close().catch(() => undefined);
      await Promise.race([closed, delay(CLOSE_MS_MAX, undefined, { ref: false })]);
      kill();
    },
  };
}

type ProcessInfo = { type: string; id: number };

/**
 * Ends the renderers that hold too much memory, and the largest where all together do: a page has
 * one for each site that it shows. A sentence where it ended any. Where there is no /proc none is
 * seen.
 */
async function endLarge(processes: ProcessInfo[], bytesMax: number): Promise<Sentence | null> {
  const renderers = processes.filter(({ type }) => type === 'renderer');
  const sized = renderers.map(async ({ id }) => ({ id, bytes: await bytesOf(id) }));
  const sizes = (await Promise.all(sized)).toSorted((a, b) => b.bytes - a.bytes);
  let left = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  let why: Sentence | null = null;
  for (const { id, bytes } of sizes) {
    const isLarge = bytes > bytesMax;
    if (!isLarge && left <= bytesMax * PAGES_AT_ONCE) break;
    process.kill(id, 'SIGKILL');
    left -= bytes;
    why = isLarge
      ? PageTooLarge({ megabytes: Math.round(bytesMax / 1_000_000) })
      : PagesTooLarge({});
  }
  return why;
}

async function bytesOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = [...status.matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB/gm)];
  return kilobytes.reduce((sum, [, count]) => sum + Number(count) * 1_024, 0);
}
