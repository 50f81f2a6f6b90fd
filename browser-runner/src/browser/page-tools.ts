import { setTimeout as delay } from 'node:timers/promises';
import { cleanText } from '@tallyhand/agent-runtime/openai/clean-text';
import { orAborted } from '@tallyhand/agent-runtime/or-aborted';
import type { CDPSession, Page, Request } from 'playwright';
import type { Frame } from '../session-browser.ts';

const QUIET_MS = 250;
const QUIET_MS_MAX = 3_000;
/** While the page that a click leads to has not come yet. */
const DOCUMENT_MS_MAX = 10_000;
const LOOK_MS = 50;
const TITLE_LENGTH_MAX = 300;
const URL_LENGTH_MAX = 2_000;
const PENDING_MAX = 1_000;

/** The resources of a complete page; sockets and streams may never end. */
const AWAITED = new Set(['document', 'stylesheet', 'script', 'xhr', 'fetch']);

/** State of a page that Playwright does not track. */
export class PageTools {
  readonly #page: Page;
  readonly #pending = new Set<Request>();
  #session: Promise<CDPSession> | undefined;
  #changedAt = performance.now();
  #title = '';
  #failed: Request | undefined;
  #hasCrashed = false;
  #givenUp: string | undefined;

  constructor(page: Page) {
    this.#page = page;
    page.on('request', (request) => {
      if (!AWAITED.has(request.resourceType()) || this.#pending.size >= PENDING_MAX) return;
      this.#pending.add(request);
      this.#changedAt = performance.now();
    });
    page.once('crash', () => {
      this.#hasCrashed = true;
    });
    page.on('requestfinished', (request) => this.#end(request));
    page.on('requestfailed', (request) => {
      this.#end(request);
      if (this.#isDocument(request)) this.#failed = request;
    });
  }

  #end(request: Request): void {
    if (this.#pending.delete(request)) this.#changedAt = performance.now();
  }

  #isDocument(request: Request): boolean {
    return request.isNavigationRequest() && request.frame() === this.#page.mainFrame();
  }

  cdp(): Promise<CDPSession> {
    this.#session ??= this.#page.context().newCDPSession(this.#page);
    return this.#session;
  }

  evaluate(expression: string, timeoutMs: number): Promise<unknown> {
    const evaluated = evaluateApart(() => this.cdp(), expression, timeoutMs);
    return orAborted(evaluated, AbortSignal.timeout(timeoutMs));
  }

  /** Earlier requests are not awaited. */
  forgetPending(): void {
    this.#pending.clear();
  }

  /** The URL of the latest document that failed to load; returned once. */
  takeFailedUrl(): string | undefined {
    const url = this.#failed?.url();
    this.#failed = undefined;
    return url;
  }

  hasCrashed(): boolean {
    return this.#hasCrashed;
  }

  /** Another page replaces it. */
  giveUp(why: string): void {
    this.#givenUp = why;
  }

  whyGivenUp(): string | undefined {
    return this.#givenUp;
  }

  async stopLoading(): Promise<void> {
    const stop = async () => await (await this.cdp()).send('Page.stopLoading');
    await orAborted(stop(), AbortSignal.timeout(1_000)).catch(() => undefined);
  }

  async isResponsive(timeoutMs: number): Promise<boolean> {
    return await this.evaluate('1', timeoutMs).then(
      () => true,
      () => false,
    );
  }

  url(): string {
    return cleanText(this.#page.url(), URL_LENGTH_MAX);
  }

  title(): string {
    return this.#title;
  }

  async readTitle(): Promise<string> {
    const expression = `document.title.slice(0, ${TITLE_LENGTH_MAX * 2})`;
    const read = await this.evaluate(expression, 1_000).catch(() => this.#title);
    this.#title = cleanText(String(read), TITLE_LENGTH_MAX);
    return this.#title;
  }

  /** Waits until the page has its resources, or for the time-out. */
  async quiet(signal: AbortSignal, msMax = DOCUMENT_MS_MAX): Promise<void> {
    const since = performance.now();
    this.#changedAt = since;
    for (;;) {
      const now = performance.now();
      const isWaiting = [...this.#pending].some((request) => this.#isDocument(request));
      if (now - since > Math.min(msMax, isWaiting ? DOCUMENT_MS_MAX : QUIET_MS_MAX)) return;
      if (this.#pending.size === 0 && now - this.#changedAt > QUIET_MS) return;
      await delay(LOOK_MS, undefined, { signal });
    }
  }
}

/** In an isolated world, which the page's redefinitions don't reach. */
async function evaluateApart(
  cdp: () => Promise<CDPSession>,
  expression: string,
  timeoutMs: number,
): Promise<unknown> {
  const client = await cdp();
  const { frameTree } = await client.send('Page.getFrameTree');
  const { executionContextId } = await client.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
    worldName: 'reader',
  });
  const { result, exceptionDetails } = await client.send('Runtime.evaluate', {
    expression,
    contextId: executionContextId,
    returnByValue: true,
    timeout: timeoutMs,
  });
  if (exceptionDetails) throw new Error(exceptionDetails.text);
  return result.value;
}

const SHOT_MS_MAX = 5_000;
const BYTES_MAX = 2_000_000;

export const VIEWPORT = { width: 1_280, height: 800 };

/** The visible part of the page; smaller where it would be too large. Null when it can't be drawn. */
export async function takeScreenshot(tools: PageTools): Promise<Frame | null> {
  const shoot = async (scale: number) => {
    const client = await tools.cdp();
    const { data } = await client.send('Page.captureScreenshot', {
      format: 'png',
      ...(scale === 1 ? {} : { clip: { ...(await visiblePart(client)), scale } }),
    });
    return Buffer.from(data, 'base64');
  };
  const shootBounded = async () => {
    const png = await shoot(1);
    return png.byteLength <= BYTES_MAX ? png : await shoot(0.5);
  };
  try {
    const png = await orAborted(shootBounded(), AbortSignal.timeout(SHOT_MS_MAX));
    return { png, url: tools.url(), title: tools.title(), at: new Date() };
  } catch {
    return null;
  }
}

/** A clip is relative to the whole page. */
async function visiblePart(client: Awaited<ReturnType<PageTools['cdp']>>) {
  const { cssVisualViewport } = await client.send('Page.getLayoutMetrics');
  return { ...VIEWPORT, x: cssVisualViewport.pageX, y: cssVisualViewport.pageY };
}
