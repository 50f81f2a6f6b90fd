import type { EngineTool, ToolAnswer } from '@tallyhand/agent-runtime/engine';
import { withDeadline } from '@tallyhand/agent-runtime/with-deadline';
import {
  BROWSER_TOOL_ARGS,
  type BrowserToolOperation,
  callBrowserTool,
  closeBrowserTool,
} from '@tallyhand/contracts/features/sessions/runner.endpoints';
import { getImage } from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { type AnswerOf, type Endpoint, pathOf } from '@tallyhand/contracts/kernel/endpoint';
import { bearer } from '@tallyhand/service-kit/http/service-token';
import { errorFields } from '@tallyhand/service-kit/log';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { Kit } from '../../kit/app.ts';
import { keepImage, readPng } from '../../kit/stored-content.ts';

const CALL_MS_MAX = 60_000;
const CLOSE_MS_MAX = 5_000;
/** The time that a requested runner may take to start. */
const RUNNER_MS_MAX = 20_000;
const LOOK_MS = 250;
const OUTPUT_MAX = 20_000;
/** How much work may have open browsers; runners close idle ones. */
const WORKS_MAX = 10_000;

export type BrowserCall = {
  readonly organizationId: string;
  /** Calls of the same work share a browser. */
  readonly workId: string;
  readonly startUrl: string | null;
  readonly operation: BrowserToolOperation;
  readonly args: Readonly<Record<string, unknown>>;
  readonly maySendForms: boolean;
};

/** The browsers of tools, which run in browser runners. */
export class Browsers {
  readonly #kit: Pick<Kit, 'settings' | 'pool' | 'log'>;
  readonly #findRunner: (workId: string) => Promise<string | null>;
  readonly #used = new LRUCache<string, true>({ max: WORKS_MAX });

  /** `findRunner` returns the address of the runner for a piece of work, or null. */
  constructor(
    kit: Pick<Kit, 'settings' | 'pool' | 'log'>,
    findRunner: (workId: string) => Promise<string | null>,
  ) {
    this.#kit = kit;
    this.#findRunner = findRunner;
  }

  async call(call: BrowserCall, signal: AbortSignal): Promise<ToolAnswer> {
    try {
      return await this.#tryCall(call, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      this.#kit.log.warn('a browser tool could not be called', errorFields(error));
      return { success: false, output: 'The browser did not answer in time.' };
    }
  }

  /** Closes the work's browser in the background. */
  close(workId: string): void {
    if (!this.#used.delete(workId)) return;
    const signal = AbortSignal.timeout(CLOSE_MS_MAX);
    const ended = async () => {
      const address = await this.#findRunner(workId);
      if (address) await this.#send(closeBrowserTool, address, { browserId: workId }, signal);
    };
    ended().catch((error) => this.#kit.log.warn('a browser was not closed', errorFields(error)));
  }

  async #tryCall(call: BrowserCall, signal: AbortSignal): Promise<ToolAnswer> {
    const { workId: browserId, organizationId } = call;
    const stop = withDeadline(signal, CALL_MS_MAX);
    const address = await this.#runnerFor(browserId, stop);
    if (!address) return { success: false, output: 'No browser is available just now.' };
    this.#used.set(browserId, true);
    const { workId: _, ...rest } = call;
    const body = { browserId, ...rest };
    const { success, output, screenshot } = await this.#send(callBrowserTool, address, body, stop);
    const picture = screenshot === null ? null : readPng(screenshot);
    const hash = picture && (await keepImage(this.#kit.pool, organizationId, picture));
    const where = hash ? `\n\nScreenshot: ${pathOf(getImage, { hash })}` : '';
    return { success, output: `${output.slice(0, OUTPUT_MAX)}${where}` };
  }

  async #send<E extends Endpoint>(
    endpoint: E,
    address: string,
    body: unknown,
    signal: AbortSignal,
  ): Promise<AnswerOf<E>> {
    const response = await fetch(new URL(pathOf(endpoint), address), {
      method: endpoint.method,
      headers: {
        'content-type': 'application/json',
        authorization: bearer(this.#kit.settings.internalToken ?? ''),
      },
      body: JSON.stringify(body),
      signal,
      redirect: 'error',
    });
    if (!response.ok) throw new Error(`A browser runner answered ${response.status}`);
    return endpoint.answer?.parse(await response.json()) as AnswerOf<E>;
  }

  /** Waits for a runner. Null if none starts in time. */
  async #runnerFor(workId: string, signal: AbortSignal): Promise<string | null> {
    const until = Date.now() + RUNNER_MS_MAX;
    for (;;) {
      const address = await this.#findRunner(workId);
      if (address || Date.now() >= until || signal.aborted) return address;
      this.#kit.settings.wantBrowser?.();
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }
}

const DESCRIPTIONS: Readonly<Record<BrowserToolOperation, string>> = {
  open: 'Opens a page by its address, and gives what stands on it.',
  read: 'Gives the text and the elements of the page that is open.',
  click: 'Clicks an element of the page that is open, and gives what stands there then.',
  type: 'Types into a field of the page that is open.',
  screenshot: 'Takes a picture of the page that is open, and gives its address.',
};

const READS: readonly BrowserToolOperation[] = ['open', 'read', 'screenshot'];

export const isBrowserRead = (name: BrowserToolOperation) => READS.includes(name);

export const isBrowserOperation = (name: string): name is BrowserToolOperation =>
  Object.hasOwn(BROWSER_TOOL_ARGS, name);

export const BROWSER_OPERATIONS: EngineTool['operations'] = Object.entries(BROWSER_TOOL_ARGS).map(
  ([key, args]) => {
    const name = key as BrowserToolOperation;
    const { $schema: _, ...parameters } = z.toJSONSchema(args, { io: 'input' });
    const isRead = isBrowserRead(name);
    return { name, description: DESCRIPTIONS[name], parameters, isRead };
  },
);
