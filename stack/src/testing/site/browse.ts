import {
  describeAction,
  type PageView,
  type PastStep,
  type Planner,
  type PlanRequest,
} from '@tallyhand/agent-runtime/browsing/planner';
import { agentWith } from '@tallyhand/agent-runtime/fixtures/handbook';
import { parseAllowedHosts } from '@tallyhand/agent-runtime/guard/allowed-hosts';
import { browserHost } from '@tallyhand/browser-runner/browser/browser-host';
import type { BrowserHost, SessionBrowser } from '@tallyhand/browser-runner/session-browser';
import type { BrowsingAction } from '@tallyhand/contracts/features/sessions/browsing';

const STEPS_MAX = 15;
const never = new AbortController().signal;

export type Browsed = {
  steps: (PastStep & { reasoning: string })[];
  end: Extract<BrowsingAction, { type: 'finish' }> | null;
};

/** A host whose pages reach this one origin and nothing else of this machine. */
export const hostFor = (origin: string): BrowserHost =>
  browserHost({
    policy: { ownOrigins: [], allowedHosts: parseAllowedHosts(new URL(origin).host) },
  });

/** What a planner does in a real browser, with no more around it than the steps it is told of. */
export async function browse(
  host: BrowserHost,
  planner: Planner,
  request: Pick<PlanRequest, 'goal'> & Partial<PlanRequest>,
): Promise<Browsed> {
  await using browser = await host.open('one');
  const steps: Browsed['steps'] = [];
  let page: PageView | null = null;
  for (let stepNumber = 1; stepNumber <= STEPS_MAX; stepNumber += 1) {
    const { action, reasoning } = await planner.next({
      agent: agentWith({}),
      context: null,
      tools: [],
      startUrls: [],
      signal: never,
      ...request,
      page,
      steps,
      stepsLeft: STEPS_MAX - stepNumber + 1,
    });
    const done = await take(action, browser);
    page = await browser.view({ withImage: false }, never);
    const url = page?.url ?? null;
    const finding = action.type === 'note' ? { text: action.finding, url } : null;
    const input = describeAction(action, done.name);
    const what = { action: action.type, input, output: done.output, success: done.success };
    const who = { isByPerson: false, interrupted: false };
    steps.push({ stepNumber, ...who, ...what, url, finding, reasoning });
    if (action.type === 'finish') return { steps, end: action };
  }
  return { steps, end: null };
}

const take = (action: BrowsingAction, browser: SessionBrowser) =>
  action.type === 'note' || action.type === 'finish' || action.type === 'use_tool'
    ? { success: true, output: 'The order 7 was sent on 2 May.', name: null }
    : browser.act(action, never);
