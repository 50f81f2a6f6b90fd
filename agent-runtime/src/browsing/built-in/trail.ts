import type { PastStep } from '../planner.ts';
import { pageKey } from './addresses.ts';
import { type Finding, findingsIn } from './findings.ts';
import { isFact, type Opening } from './page-facts.ts';

/** What was done so far, as the steps tell it. */
export type Trail = {
  /** Every page that was seen, by its key. */
  visited: ReadonlySet<string>;
  /** Pages that the agent itself has looked at, by their keys. */
  lookedAt: ReadonlySet<string>;
  /** Addresses that the agent has opened or tried, as they were asked for. */
  opened: ReadonlySet<string>;
  /** The texts that were read, by the key of their page. */
  read: ReadonlyMap<string, { url: string; text: string }>;
  /** Names that were clicked, by the key of the page where they stood. */
  clicked: ReadonlyMap<string, ReadonlySet<string>>;
  /** Keys of pages on which an option was chosen, and of those that it led to. */
  chosen: ReadonlySet<string>;
  /** Those of them where it worked. */
  sorted: ReadonlySet<string>;
  findings: readonly Finding[];
  /** Keys of the pages that findings were noted on, beside their facts. */
  noted: ReadonlySet<string>;
  /** Keys of the pages whose facts were noted. */
  reported: ReadonlySet<string>;
  /** How pages were opened by the agent, by their keys. */
  openings: ReadonlyMap<string, Opening>;
  /** What tools said, in their order; their failures too. */
  toolAnswers: readonly { success: boolean; input: string; output: string }[];
  /** Steps that did not succeed, with the page on which they were tried. */
  failures: readonly (PastStep & { at: string | null })[];
  backs: number;
  last: PastStep | null;
  /** What led to the present page: an action, or a person. */
  arrival: string | null;
};

export function trailOf(steps: readonly PastStep[]): Trail {
  const visited = new Set<string>();
  const lookedAt = new Set<string>();
  const opened = new Set<string>();
  const read = new Map<string, { url: string; text: string }>();
  const clicked = new Map<string, Set<string>>();
  const chosen = new Set<string>();
  const sorted = new Set<string>();
  const findings: Finding[] = [];
  const noted = new Set<string>();
  const reported = new Set<string>();
  const openings = new Map<string, Opening>();
  const toolAnswers: { success: boolean; input: string; output: string }[] = [];
  const failures: (PastStep & { at: string | null })[] = [];
  let at: string | null = null;
  let arrival: string | null = null;
  for (const step of steps) {
    const from = at === null ? '' : pageKey(at);
    const to = pageKey(step.url ?? at ?? '');
    if (!step.success) failures.push({ ...step, at });
    if (step.action === 'click')
      clicked.set(from, (clicked.get(from) ?? new Set()).add(step.input));
    if (step.action === 'open' && !step.isByPerson) {
      opened.add(step.input);
      openings.set(to, { asked: step.input, output: step.output, success: step.success });
    }
    if (step.action === 'extract' && step.success) {
      read.set(to, { url: step.url ?? '', text: step.output });
    }
    if (step.action === 'select' && !step.isByPerson) {
      chosen.add(from).add(to);
      if (step.success) sorted.add(to);
    }
    if (step.action === 'use_tool') toolAnswers.push(step);
    if (step.finding) {
      const found = findingsIn(step.finding);
      findings.push(...found);
      const key = step.finding.url && pageKey(step.finding.url);
      if (key && found.some(isFact)) reported.add(key);
      if (key && !found.every(isFact)) noted.add(key);
    }
    // A chosen option shows the same page in another way.
    if (from !== to && step.action !== 'select') arrival = step.isByPerson ? 'person' : step.action;
    if (step.url) visited.add(pageKey(step.url));
    if (step.url && !step.isByPerson) lookedAt.add(pageKey(step.url));
    at = step.url ?? at;
  }
  const backs = steps.filter((step) => step.action === 'back').length;
  const last = steps.at(-1) ?? null;
  return {
    visited,
    lookedAt,
    opened,
    read,
    clicked,
    chosen,
    sorted,
    findings,
    noted,
    reported,
    openings,
    toolAnswers,
    failures,
    backs,
    last,
    arrival,
  };
}
