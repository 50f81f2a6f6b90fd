import type { PageView, PlanRequest } from '../planner.ts';
import { pageKey } from './addresses.ts';
import { type Goal, readGoal } from './goal.ts';
import { mainOf, type OutlineNode, parseOutline } from './outline.ts';
import { type Trail, trailOf } from './trail.ts';

/** A page as the rules look at it. */
export type Page = {
  url: string;
  key: string;
  title: string;
  root: OutlineNode;
  main: OutlineNode;
  /** What was read of it; null while it was not. */
  text: string | null;
};

/** All that the next step depends on. */
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
  // A page that only a person has been on was not looked at yet, unless it is the present one.
  const pending = goal.addresses.filter((url) => {
    const key = pageKey(url);
    return !trail.opened.has(url) && !trail.lookedAt.has(key) && key !== page?.key;
  });
  return { request, goal, trail, page, pending };
}

/** Null too for what is no page of the web: a blank one, or the browser's own of an error. */
function pageOf(view: PageView | null, trail: Trail): Page | null {
  if (!view || !/^https?:/.test(view.url)) return null;
  const { url, title } = view;
  const key = pageKey(url);
  const root = parseOutline(view.outline);
  return { url, key, title, root, main: mainOf(root), text: trail.read.get(key)?.text ?? null };
}
