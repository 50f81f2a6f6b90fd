import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import type { BrowserContext } from 'playwright';
import { filteringProxy } from '../proxy/filtering-proxy.ts';
import type { ProxyClient, ProxyLimits } from '../proxy/proxy-client.ts';
import type { BrowserHost, SessionBrowser } from '../session-browser.ts';
import { type BrowserProcess, startBrowser } from './browser-process.ts';
import { fileTexts } from './file-text.ts';
import { VIEWPORT } from './screenshots.ts';
import { sessionBrowser } from './session-context.ts';

export type BrowserConfig = {
  /** The addresses that pages may reach. */
  policy: OutboundPolicy;
  /** How long an unused browser stays open. */
  idleMs?: number;
  actionMsMax?: number;
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
        // The browser may have crashed a moment ago: the second time it is another one.
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
