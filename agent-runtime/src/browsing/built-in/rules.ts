import { chooseTool } from '../../built-in/tool-choice.ts';
import type { BrowsingAction, PlannedStep } from '../planner.ts';
import { siteOf } from './addresses.ts';
import { noteOf } from './findings.ts';
import { asksOnlyFacts } from './goal.ts';
import { likeness } from './likeness.ts';
import { aboutShare, isEnough, isGiven, lookFor } from './look.ts';
import { formOf, isSecret, obstacleOf, refusalOf } from './obstacles.ts';
import { labelOf, textIn } from './outline.ts';
import { factsNote, gaveNoPage } from './page-facts.ts';
import type { Page, Situation } from './situation.ts';
import { fittingOption, furtherWays, nextPage, searchBox, type WayOn, waysOn } from './ways-on.ts';

/** A step where the rule applies, else null. */
type Rule = (situation: Situation) => PlannedStep | null;
type PageRule = (situation: Situation, page: Page) => PlannedStep | null;

const step = (action: BrowsingAction, reasoning: string): PlannedStep => ({ action, reasoning });
const onPage =
  (rule: PageRule): Rule =>
  (situation) =>
    situation.page && rule(situation, situation.page);

const aboutLengthMax = 500;
/** A page that says less than this about the goal is passed through without reading. */
const worthReading = 0.35;
/** A link that meets so much of the goal is followed before the site is searched. */
const strongShare = 0.6;
const wholeWord = 0.9;
const teaserShare = 0.75;
const searchesMax = 2;
const exploredMax = 4;
/** To open, read and note a page. */
const stepsForPage = 3;
const backsMax = 3;
const queryWordsMax = 4;

const useTool: Rule = ({ request, trail }) => {
  const { goal, context, tools } = request;
  if (trail.toolAnswers.length > 0 || tools.length === 0) return null;
  const choice = chooseTool({ input: goal, context: context ?? undefined, tools });
  if (!choice) return null;
  const { tool, operation, args, reason } = choice;
  return step(
    { type: 'use_tool', toolId: tool.id, operation: operation.name, args },
    `The tool “${tool.title}” fits: ${reason}.`,
  );
};

const openNext: Rule = ({ pending: [url] }) =>
  url === undefined ? null : step({ type: 'open', url }, 'This is the next address to look at.');

const openFirst: Rule = (situation) => (situation.page ? null : openNext(situation));

/** Something lies over what was to be clicked. */
const uncover = onPage(({ trail }, page) => {
  const { last } = trail;
  if (last?.action !== 'click' || last.success || last.isByPerson) return null;
  const button = refusalOf(page.root);
  if (!button?.ref || trail.clicked.get(page.key)?.has(labelOf(button))) return null;
  return step({ type: 'click', ref: button.ref }, 'A banner is in the way.');
});

/** Sorting first saves the other pages of a long list. */
const sort = onPage(({ goal, trail }, page) => {
  if (!goal.ranking || trail.chosen.has(page.key) || !nextPage(trail, page)) return null;
  const fitting = fittingOption(goal, page);
  return fitting && step({ type: 'select', ...fitting }, 'The list has more pages: sort it first.');
});

const read = onPage((situation, page) => {
  const { goal, trail, request } = situation;
  if (page.text !== null || obstacleOf(page.main, page.title)) return null;
  if (asksOnlyFacts(goal) && (!goal.facts.has('text') || trail.reported.has(page.key))) return null;
  const hasFailed = trail.failures.some(
    ({ action, at, url }) => (action === 'open' ? url : action === 'extract' && at) === page.url,
  );
  if (hasFailed) return null;
  const says = likeness(goal.subjects, textIn(page.main), goal.language).share;
  if (!isGiven(situation, page) && says < worthReading) return null;
  const about = request.goal.slice(0, aboutLengthMax);
  return step({ type: 'extract', about }, `Reads “${page.title || page.url}” for the goal.`);
});

/** The title and what else the goal asks of any page that it names. */
const report = onPage(({ goal, trail, ...situation }, page) => {
  const { facts } = goal;
  const isOpen = isGiven({ goal, trail, ...situation }, page);
  if (facts.size === 0 || !isOpen || trail.reported.has(page.key)) return null;
  const opening = trail.openings.get(page.key);
  if (opening && gaveNoPage(opening)) return null;
  const finding = factsNote(facts, page, opening);
  return step({ type: 'note', finding }, 'This is what the page itself says.');
});

const note = onPage((situation, page) => {
  if (page.text === null || situation.trail.noted.has(page.key)) return null;
  if (isTeaser(situation, page)) return null;
  const finding = noteOf(lookFor(situation, page));
  return finding === '' ? null : step({ type: 'note', finding }, 'The page says what was asked.');
});

/** A list that links to a page of the very thing: what is asked for stands there. */
function isTeaser(situation: Situation, page: Page): boolean {
  const { goal, trail } = situation;
  const isLookUp = !goal.ranking && !goal.isList && goal.newest === null && !goal.asksPrice;
  if (!isLookUp || !hasTime(situation)) return false;
  return waysOn(goal, trail, page).some(({ share }) => share >= teaserShare);
}

/** Lists go on on further pages; not where the best stand first and are there already. */
const turnPage = onPage((situation, page) => {
  const { goal, trail } = situation;
  if (!goal.ranking && !goal.isList) return null;
  if (trail.sorted.has(page.key) && isEnough(situation)) return null;
  if (!trail.noted.has(page.key) || !hasTime(situation)) return null;
  const next = nextPage(trail, page);
  return next?.ref ? step({ type: 'click', ref: next.ref }, 'The list goes on.') : null;
});

const follow = (isWanted: (way: WayOn, situation: Situation) => boolean) =>
  onPage((situation, page) => {
    const { goal, trail, pending } = situation;
    // Where several addresses are given, these are the pages that are meant.
    if (goal.ranking && goal.addresses.length > 1) return null;
    if (isEnough(situation) && !goal.ranking) return null;
    if (pending.length > 0 && !hasTime(situation)) return null;
    const way = waysOn(goal, trail, page).find((one) => isWanted(one, situation));
    return way
      ? step({ type: 'click', ref: way.ref }, `The link “${way.name}” fits the goal.`)
      : null;
  });

/** Its name says what the goal is about: it comes before a search. */
const followStrong = follow(
  ({ share, sum, isPlain }) => share >= strongShare || sum >= wholeWord || (isPlain && sum > 0),
);
const followAny = follow(
  ({ share }, situation) => !isEnough(situation) && (situation.pending.length === 0 || share > 0.5),
);

const search = onPage((situation, page) => {
  const { goal, trail, request } = situation;
  const isElsewhere = situation.pending.length > 0 || trail.noted.has(page.key);
  if (isEnough(situation) || isElsewhere || goal.personal !== null) return null;
  const box = searchBox(page);
  if (!box?.ref || isSecret(box)) return null;
  const site = siteOf(page.url);
  const typed = request.steps
    .filter(({ action, url }) => action === 'type' && url !== null && siteOf(url) === site)
    .map(({ input }) => input);
  if (typed.length >= searchesMax) return null;
  const query = queriesOf(situation).find(
    (one) => !typed.some((text) => text.endsWith(`: ${one}`)),
  );
  if (query === undefined) return null;
  return step(
    { type: 'type', ref: box.ref, text: query, submit: true },
    'The page does not show it: searches the site.',
  );
});

/** What stands in quotes or is a name; else the goal's subjects; then the longest of them alone. */
function queriesOf({ goal }: Situation): string[] {
  const quoted = /["“„«]([^"”“»]{2,80})["”»]/.exec(goal.text)?.[1]?.trim();
  // Not the first word of a sentence, which is always written so.
  const named = /(?<=[\p{Ll},] )(?:(?:\p{Lu}[\p{L}'’-]*|\d+)(?: |(?=[^\p{L}\d])|$))+/u.exec(
    goal.text,
  )?.[0];
  const words = goal.subjects.map(({ word }) => word);
  const longest = words.toSorted((a, b) => b.length - a.length)[0];
  const all = [quoted, named?.trim(), words.slice(0, queryWordsMax).join(' '), longest];
  return [...new Set(all.filter((one) => one !== undefined && one !== ''))] as string[];
}

const goBack = onPage((situation, page) => {
  const { trail, request } = situation;
  const hasWay = trail.arrival === 'click' || trail.arrival === 'type';
  if (isEnough(situation) || !hasWay || trail.backs >= backsMax) return null;
  if (request.stepsLeft <= stepsForPage || trail.last?.action === 'back') return null;
  const isGoal = aboutShare(situation.goal, page) >= strongShare && page.text === null;
  return isGoal ? null : step({ type: 'back' }, 'This page does not lead further.');
});

/** Whether a further page can be looked at beside the addresses that are to be opened. */
const hasTime = ({ request, pending }: Situation) =>
  request.stepsLeft > 1 + stepsForPage * (pending.length + 1);

/** Nothing fits by its name: looks at what else the page links to, a few pages at most. */
const explore = onPage((situation, page) => {
  const { goal, trail, request, pending } = situation;
  const clicks = request.steps.filter(
    ({ action, isByPerson }) => action === 'click' && !isByPerson,
  );
  const isOver = isEnough(situation) || pending.length > 0 || clicks.length >= exploredMax;
  if (isOver || goal.ranking || goal.personal !== null || request.stepsLeft <= stepsForPage)
    return null;
  const [way] = furtherWays(goal, trail, page);
  return way ? step({ type: 'click', ref: way.ref }, `Looks further: “${way.name}”.`) : null;
});

/** In their order: the first that applies is taken. */
const RULES: readonly Rule[] = [
  useTool,
  openFirst,
  uncover,
  sort,
  read,
  report,
  note,
  turnPage,
  followStrong,
  search,
  followAny,
  openNext,
  explore,
  goBack,
];

/** For goals that ask nothing but facts of the pages that they name. */
const FACT_RULES: readonly Rule[] = [useTool, openFirst, uncover, read, report, openNext];

/** Here a person has to go on: at a sign-in, or at the form that the goal wants to be sent. */
function isAtForm({ goal, page }: Situation): boolean {
  if (!page) return false;
  if (obstacleOf(page.main, page.title)) return true;
  return goal.personal !== null && formOf(page.main) !== null;
}

function rulesFor(situation: Situation): readonly Rule[] {
  if (isAtForm(situation)) return [useTool, report, openNext];
  return asksOnlyFacts(situation.goal) ? FACT_RULES : RULES;
}

/** The next step; null where there is nothing more to do. */
export function nextStep(situation: Situation): PlannedStep | null {
  for (const rule of rulesFor(situation)) {
    const planned = rule(situation);
    if (planned) return planned;
  }
  return null;
}
