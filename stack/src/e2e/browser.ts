import { launchChromium } from '@tallyhand/browser-runner/chromium';
import { type Agent, createAgent } from '@tallyhand/contracts/features/agents/agents.endpoints';
import { type ApiClient, agentInput, registerOrganization } from '@tallyhand/test-kit/api-client';
import { isInSample, sampleName } from '@tallyhand/test-kit/cases';
import { PATIENCE } from '@tallyhand/test-kit/patience.config';
import type { Browser, BrowserContextOptions, Page } from 'playwright';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import { sharedProduct, type TestProduct } from '../testing/product.ts';
import { DEFAULTS, KeptPages } from './kept-pages.ts';
import { accessibilityFaults } from './page-faults.ts';

/**
 * With four browsers on two cores, helper threads of its engine cost more than they save; and a page
 * is seldom open for as long as optimizing its code takes.
 */
const FLAGS = ['--js-flags=--single-threaded --no-maglev --no-opt'];

let launched: Promise<Browser> | undefined;

const keptPages = new KeptPages();

export type TestBrowser = {
  /** A page with separate cookies and storage, for the test or the file that opened it. */
  newPage(url: string, options?: BrowserContextOptions): Promise<Page>;
  /** Errors that the pages of this test may report, such as those of a network that fails. */
  mayComplain(of: RegExp): void;
  /** What the pages of this test have complained about so far. */
  complaints(): readonly string[];
};

/**
 * Pages of a test file on the real browser that its worker's files share; it ends with the worker.
 * A test fails if its pages report an error to the console, such as one of the
 * Content-Security-Policy, that it does not expect. Refused calls are none.
 */
export function openBrowser(): TestBrowser {
  const complaints: string[] = [];
  const open: Page[] = [];
  const expected: RegExp[] = [];
  let beforeTest = 0;
  beforeEach(() => {
    beforeTest = open.length;
  });
  afterEach(async () => {
    await close(beforeTest);
    const of = expected.splice(0);
    const faults = complaints.splice(0).filter((text) => !of.some((one) => one.test(text)));
    expect(faults).toEqual([]);
  });
  afterAll(() => close(0));
  async function close(first: number) {
    const closed = open.splice(first);
    for (const page of closed) complaintsOf.delete(page);
    await Promise.all(closed.map((page) => keptPages.giveBack(page)));
  }

  return {
    async newPage(url, options = {}) {
      const page = await keptPages.take(url, options, (own) => openPage({ baseURL: url, ...own }));
      open.push(page);
      complaintsOf.set(page, complaints);
      return page;
    },
    mayComplain: (of) => void expected.push(of),
    complaints: () => complaints,
  };
}

/** Where the complaints of a page go: it may be kept for the tests of other files. */
const complaintsOf = new WeakMap<Page, string[]>();

async function openPage(options: BrowserContextOptions): Promise<Page> {
  launched ??= launchChromium({ flags: FLAGS });
  const context = await (await launched).newContext({ ...DEFAULTS, ...options });
  context.setDefaultTimeout(PATIENCE.timeout);
  const page = await context.newPage();
  page.on('pageerror', ({ message }) => complaintsOf.get(page)?.push(message));
  page.on('console', (message) => {
    const isRefusal = /the server responded with a status of 4\d\d/.test(message.text());
    if (message.type() === 'error' && !isRefusal) complaintsOf.get(page)?.push(message.text());
  });
  return page;
}

/**
 * Fails if axe finds faults on the current page. Each commit runs it in one test of three: the
 * analysis takes as long as the rest of a short test.
 */
export async function expectAccessible(page: Page): Promise<void> {
  const { currentTestName = '' } = expect.getState();
  if (!isInSample(currentTestName, 3)) return;
  expect(await accessibilityFaults(page), sampleName()).toEqual([]);
}

/** The shared product and pages on the shared browser, for the tests of a file. */
export const openSuite = async () => ({ product: await sharedProduct(), browser: openBrowser() });

/** A page that is signed in as the client is. */
export async function pageOf(
  client: ApiClient,
  url: string,
  browser: TestBrowser,
  options?: Parameters<TestBrowser['newPage']>[1],
) {
  const page = await browser.newPage(url, options);
  const cookies = [...client.cookies].map(([name, value]) => ({ name, value, url }));
  await page.context().addCookies(cookies);
  return page;
}

/** A new organization with one agent, and a page that is signed in as its Admin. */
export async function agentOwner({ url }: TestProduct, browser: TestBrowser) {
  const { client, user } = await registerOrganization(url);
  const agent = await client.call<Agent>(createAgent, { body: agentInput });
  const page = await pageOf(client, url, browser);
  const own = { organizationId: user.organization.id, userId: user.id, agentId: agent.body.id };
  return { client, user, own, page };
}
