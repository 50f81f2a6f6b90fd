import type { PageView, PastStep, PlanRequest } from '@tallyhand/agent-runtime/browsing/planner';
import { pageKey } from './addresses.ts';
import { type Goal, readGoal } from './goal.ts';
import { mainOf, type Page, parseOutline } from './outline.ts';
import { isFact, type Opening } from './page-facts.ts';

/** What was done so far, as the steps report it. Pages are known by their `pageKey`. */
export type Trail = {
  visited: ReadonlySet<string>;
  /** Visited by the agent itself, not only by a person. */
  lookedAt: ReadonlySet<string>;
  /** Addresses that the agent has opened or tried, as the goal wrote them. */
  opened: ReadonlySet<string>;
  /** The texts that were read, by page. */
  read: ReadonlyMap<string, { url: string; text: string }>;
  /** Names that were clicked, by the page where they stood. */
  clicked: ReadonlyMap<string, ReadonlySet<string>>;
  findings: readonly Finding[];
  /** Pages with findings other than facts. */
  noted: ReadonlySet<string>;
  /** Pages whose facts were noted. */
  reported: ReadonlySet<string>;
  /** How the agent's pages were opened. */
  openings: ReadonlyMap<string, Opening>;
  /** What tools answered, failures included. */
  toolAnswers: readonly { success: boolean; input: string; output: string }[];
  /** Steps without success, with the page on which they were tried. */
  failures: readonly (PastStep & { at: string | null })[];
  /** What led to the present page: an action, or a person. */
  arrival: string | null;
};

/** Everything that the next step depends on. */
export type Situation = {
  request: PlanRequest;
  goal: Goal;
  trail: Trail;
  page: Page | null;
  /** Addresses that are still to be opened. */
  pending: string[];
};

export function situationOf(request: PlanRequest): Situation {
  const goal = readGoal(request);
  const trail = trailOf(request.steps);
  const page = pageOf(request.page, trail);
  // A page that only a person has visited is still to be opened, unless it is the present one.
  const pending = goal.addresses.filter((url) => {
    const key = pageKey(url);
    return !trail.opened.has(url) && !trail.lookedAt.has(key) && key !== page?.key;
  });
  return { request, goal, trail, page, pending };
}

/** Null also for a blank page and for the browser's own error page. */
function pageOf(view: PageView | null, trail: Trail): Page | null {
  if (!view || !/^https?:/.test(view.url)) return null;
  const { url, title } = view;
  const key = pageKey(url);
  const root = parseOutline(view.outline);
  return { url, key, title, root, main: mainOf(root), text: trail.read.get(key)?.text ?? null };
}

function trailOf(steps: readonly PastStep[]): Trail {
  const trail = {
    visited: new Set<string>(),
    lookedAt: new Set<string>(),
    opened: new Set<string>(),
    read: new Map<string, { url: string; text: string }>(),
    clicked: new Map<string, Set<string>>(),
    findings: [] as Finding[],
    noted: new Set<string>(),
    reported: new Set<string>(),
    openings: new Map<string, Opening>(),
    toolAnswers: steps.filter(({ action }) => action === 'use_tool'),
    failures: [] as (PastStep & { at: string | null })[],
    arrival: null as string | null,
  };
  let at: string | null = null;
  for (const step of steps) {
    const from = at === null ? '' : pageKey(at);
    const to = pageKey(step.url ?? at ?? '');
    if (!step.success) trail.failures.push({ ...step, at });
    if (step.action === 'click') {
      trail.clicked.set(from, (trail.clicked.get(from) ?? new Set()).add(step.input));
    }
    if (step.action === 'open' && !step.isByPerson) {
      trail.opened.add(step.input);
      trail.openings.set(to, step);
    }
    if (step.action === 'extract' && step.success) {
      trail.read.set(to, { url: step.url ?? '', text: step.output });
    }
    if (step.finding) {
      const found = findingsIn(step.finding);
      trail.findings.push(...found);
      const key = step.finding.url && pageKey(step.finding.url);
      if (key && found.some(isFact)) trail.reported.add(key);
      if (key && !found.every(isFact)) trail.noted.add(key);
    }
    if (from !== to) trail.arrival = step.isByPerson ? 'person' : step.action;
    if (step.url) trail.visited.add(pageKey(step.url));
    if (step.url && !step.isByPerson) trail.lookedAt.add(pageKey(step.url));
    at = step.url ?? at;
  }
  return trail;
}

/** Literal words of a page, and what they stand under. */
export type Finding = { about: string; quote: string; url: string | null };
export type Found = Omit<Finding, 'url'>;

const NOTE_LENGTH_MAX = 2_000;
const ABOUT_LENGTH_MAX = 160;
const QUOTE_LENGTH_MAX = 500;

/** The note that keeps these findings, one on each line. */
export function noteOf(findings: readonly Found[]): string {
  let note = '';
  for (const { about, quote } of findings) {
    const shown = oneLine(quote).slice(0, QUOTE_LENGTH_MAX);
    const line = `${oneLine(about).slice(0, ABOUT_LENGTH_MAX)}: “${shown}”`;
    if (note.length + line.length + 1 > NOTE_LENGTH_MAX) break;
    note += note === '' ? line : `\n${line}`;
  }
  return note;
}

/** The findings of a note. A note in another form is one finding. */
function findingsIn({ text, url }: { text: string; url: string | null }): Finding[] {
  return text.split('\n').map((line) => {
    const [, about = '', quote = line] = /^(.*?): “(.*)”$/s.exec(line) ?? [];
    return { about, quote, url };
  });
}

export const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();
