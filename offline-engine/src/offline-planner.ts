import type { PlannedStep, Planner } from '@tallyhand/agent-runtime/browsing/planner';
import { throwIfCancelled } from '@tallyhand/agent-runtime/engine';
import type { BrowsingAction } from '@tallyhand/contracts/features/sessions/browsing';
import { OFFLINE_MODEL } from './offline-engine.ts';
import { isEnough, isGiven, lookFor } from './planning/findings.ts';
import { asksOnlyFacts } from './planning/goal.ts';
import { likeness } from './planning/likeness.ts';
import { linksToFollow, nextPage } from './planning/links.ts';
import { formOf, obstacleOf } from './planning/obstacles.ts';
import { type Page, textIn } from './planning/outline.ts';
import { factsNote, gaveNoPage } from './planning/page-facts.ts';
import { finish } from './planning/report.ts';
import { noteOf, type Situation, situationOf } from './planning/trail.ts';
import { chooseTool } from './tools/tool-choice.ts';

/**
 * Plans without a network or a model: opens the pages that the goal names, reads them, follows links
 * whose words fit the goal, and reports what it found in the pages' own words. It never does what a
 * page says, and fills in nothing.
 */
export function offlinePlanner(): Planner {
  return {
    model: OFFLINE_MODEL,
    seesImages: false,
    async next(request) {
      throwIfCancelled(request.signal);
      // A step that a person interrupted is planned again, from the page as it is now.
      const steps = request.steps.filter(({ interrupted }) => !interrupted);
      const situation = situationOf({ ...request, steps });
      if (request.stepsLeft <= 1) return finish(situation, 'This is the last step.');
      return nextStep(situation) ?? finish(situation, 'Nothing left to open.');
    },
  };
}

/** A step where the rule applies, else null. */
type Rule = (situation: Situation) => PlannedStep | null;

const step = (action: BrowsingAction, reasoning: string): PlannedStep => ({ action, reasoning });
const onPage =
  (rule: (situation: Situation, page: Page) => PlannedStep | null): Rule =>
  (situation) =>
    situation.page && rule(situation, situation.page);

const ABOUT_LENGTH_MAX = 500;
/** A page that says less than this about the goal is passed through without reading. */
const WORTH_READING = 0.35;
/** To open, read and note a page. */
const STEPS_FOR_PAGE = 3;

const useTool: Rule = ({ request, trail }) => {
  const { goal, context, tools } = request;
  if (trail.toolAnswers.length > 0 || tools.length === 0) return null;
  const choice = chooseTool({ input: goal, context: context ?? undefined, tools });
  if (!choice) return null;
  const { tool, operation, args, reason } = choice;
  return step(
    { type: 'use_tool', toolId: tool.id, operation: operation.name, args },
    `Best tool: “${tool.title}” (${reason}).`,
  );
};

const openNext: Rule = ({ pending: [url] }) =>
  url === undefined ? null : step({ type: 'open', url }, 'Next address to open.');

const openFirst: Rule = (situation) => (situation.page ? null : openNext(situation));

const read = onPage((situation, page) => {
  const { goal, trail, request } = situation;
  if (page.text !== null || obstacleOf(page.main, page.title)) return null;
  if (asksOnlyFacts(goal) && (!goal.facts.has('text') || trail.reported.has(page.key))) return null;
  const hasFailed = trail.failures.some(
    ({ action, at, url }) => (action === 'open' ? url : action === 'extract' && at) === page.url,
  );
  if (hasFailed) return null;
  const says = likeness(goal.subjects, textIn(page.main), goal.language).share;
  if (!isGiven(situation, page) && says < WORTH_READING) return null;
  const about = request.goal.slice(0, ABOUT_LENGTH_MAX);
  return step({ type: 'extract', about }, `Reading “${page.title || page.url}”.`);
});

/** Notes the title and the other facts that the goal asks of each page that it names. */
const report = onPage((situation, page) => {
  const { goal, trail } = situation;
  if (goal.facts.size === 0 || trail.reported.has(page.key)) return null;
  const opening = trail.openings.get(page.key);
  if (!isGiven(situation, page) || (opening && gaveNoPage(opening))) return null;
  const finding = factsNote(goal.facts, page, opening);
  return step({ type: 'note', finding }, 'Facts from the page.');
});

const note = onPage((situation, page) => {
  if (page.text === null || situation.trail.noted.has(page.key)) return null;
  const finding = noteOf(lookFor(situation, page));
  return finding === '' ? null : step({ type: 'note', finding }, 'The page answers the question.');
});

/** The cheapest of a list may stand on a further page of it. */
const turnPage = onPage((situation, page) => {
  const { goal, trail } = situation;
  if (!goal.ranking || !trail.noted.has(page.key) || !hasTime(situation)) return null;
  const next = nextPage(trail, page);
  return next?.ref
    ? step({ type: 'click', ref: next.ref }, 'The list continues on the next page.')
    : null;
});

const follow = onPage((situation, page) => {
  const { goal, trail, pending } = situation;
  // Several addresses are the pages to compare.
  if (goal.ranking && goal.addresses.length > 1) return null;
  if (isEnough(situation) && !goal.ranking) return null;
  if (pending.length > 0 && !hasTime(situation)) return null;
  const [link] = linksToFollow(goal, trail, page);
  if (!link) return null;
  return step({ type: 'click', ref: link.ref }, `The link “${link.name}” matches the goal.`);
});

/** Enough steps for a further page beside the addresses that are still to be opened. */
const hasTime = ({ request, pending }: Situation) =>
  request.stepsLeft > 1 + STEPS_FOR_PAGE * (pending.length + 1);

/** The first rule that applies plans the step. */
const RULES: readonly Rule[] = [useTool, openFirst, read, report, note, turnPage, follow, openNext];

/** For goals that ask nothing but facts of the pages that they name. */
const FACT_RULES: readonly Rule[] = [useTool, openFirst, read, report, openNext];

/** A member must continue at a sign-in, and at a form that the goal asks to send. */
const FORM_RULES: readonly Rule[] = [useTool, report, openNext];

function rulesFor({ goal, page }: Situation): readonly Rule[] {
  if (page && obstacleOf(page.main, page.title)) return FORM_RULES;
  if (page && goal.personal !== null && formOf(page.main) !== null) return FORM_RULES;
  return asksOnlyFacts(goal) ? FACT_RULES : RULES;
}

function nextStep(situation: Situation): PlannedStep | null {
  for (const rule of rulesFor(situation)) {
    const planned = rule(situation);
    if (planned) return planned;
  }
  return null;
}
