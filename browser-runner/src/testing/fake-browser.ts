import type { LiveInput } from '@tallyhand/contracts/features/sessions/live.messages';
import type { Sentence } from '@tallyhand/contracts/kernel/sentence';
import type {
  ActionResult,
  BrowserHost,
  Frame,
  PageAction,
  SentForm,
  SessionBrowser,
} from '../session-browser.ts';

export type FakeBrowser = SessionBrowser & {
  readonly acts: PageAction[];
  readonly inputs: LiveInput[];
  readonly isClosed: boolean;
  readonly watchers: number;
  /** Shows another page. */
  go(url: string): void;
  /** Draws something new. */
  draw(content?: Buffer): void;
  lose(why: Sentence): void;
};

export type FakeHost = BrowserHost & {
  readonly browsers: FakeBrowser[];
  /** The one that was opened last. */
  readonly last: FakeBrowser;
  /** Answers an action instead of the usual success. */
  onAct: ((action: PageAction, signal: AbortSignal) => Promise<ActionResult>) | null;
  /** The form that an action would send. */
  onForm: ((action: PageAction) => SentForm | null | 'unread') | null;
  /** Whether what is typed now goes into a password field. */
  isSecret: boolean;
};

const PICTURE = Buffer.from('a picture');

/** A browser without pages: it opens any address, and the test draws its pictures. */
export function fakeHost(): FakeHost {
  const host: FakeHost = {
    browsers: [],
    get last() {
      const browser = host.browsers.at(-1);
      if (!browser) throw new Error('No browser was opened');
      return browser;
    },
    onAct: null,
    onForm: null,
    isSecret: false,
    async open() {
      const browser = fakeBrowser(host);
      host.browsers.push(browser);
      return browser;
    },
    async [Symbol.asyncDispose]() {},
  };
  return host;
}

function fakeBrowser(host: FakeHost): FakeBrowser {
  const lost = Promise.withResolvers<Sentence>();
  const watchers = new Set<(frame: Frame) => void>();
  const acts: PageAction[] = [];
  const inputs: LiveInput[] = [];
  let url: string | null = null;
  let png: Buffer = PICTURE;
  let isClosed = false;
  const frame = (): Frame | null =>
    url === null ? null : { png, url, title: `Title of ${url}`, at: new Date() };
  const tell = () => {
    const now = frame();
    if (now) for (const watcher of watchers) watcher(now);
  };
  const done = (name: string | null): ActionResult => ({
    success: true,
    output: 'Done.',
    name,
    isSecret: host.isSecret,
  });

  return {
    acts,
    inputs,
    get isClosed() {
      return isClosed;
    },
    get watchers() {
      return watchers.size;
    },
    lost: lost.promise,
    lose: lost.resolve,
    go(next) {
      url = next;
    },
    draw(content = PICTURE) {
      png = content;
      tell();
    },
    async view() {
      if (url === null) return null;
      return { url, title: `Title of ${url}`, outline: '', screenshot: null, notices: [] };
    },
    form: async (action) => host.onForm?.(action) ?? null,
    async act(action, signal) {
      acts.push(action);
      if (host.onAct) return host.onAct(action, signal);
      if (action.type === 'open') url = action.url;
      tell();
      return done('ref' in action ? `Element ${action.ref}` : null);
    },
    async input(input) {
      inputs.push(input);
      if (input.kind === 'open') url = input.url;
      tell();
      return done(input.kind === 'click' ? 'Buy' : null);
    },
    screenshot: async () => frame(),
    watch(onFrame) {
      watchers.add(onFrame);
      const now = frame();
      if (now) onFrame(now);
      return () => watchers.delete(onFrame);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
    },
  };
}
