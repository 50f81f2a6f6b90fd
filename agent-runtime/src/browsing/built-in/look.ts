import { isAmount } from '../../built-in/wanted.ts';
import { entriesIn } from './entries.ts';
import { answerIn, type Finding, isAnswered, type ReadPage } from './findings.ts';
import { asksOnlyFacts, type Goal } from './goal.ts';
import { isInstruction } from './instructions.ts';
import { likeness } from './likeness.ts';
import { headingsOf, nodesIn, textIn } from './outline.ts';
import { type Priced, pricedIn } from './priced.ts';
import { rankedBy } from './ranking.ts';
import { echoesOn } from './search-results.ts';
import type { Page, Situation } from './situation.ts';
import { waysOn } from './ways-on.ts';

type Found = Omit<Finding, 'url'>;

const findingsMax = 20;
/** A page of which this share of the subjects stands in its title is about the goal. */
const aboutMin = 0.5;
const nameMin = 0.5;

/** What the present page says that the goal asks for; only what was not found before. */
export function lookFor(situation: Situation, page: Page): Found[] {
  const { goal, trail } = situation;
  const isAbout = aboutShare(goal, page) >= aboutMin || isMeant(situation, page);
  const found = goal.ranking
    ? offersOf(goal, page, isAbout)
    : goal.newest !== null || goal.isList
      ? listed(goal, page, isAbout)
      : [];
  const answers = found.length > 0 || goal.ranking ? [] : answersOf(situation, page);
  const known = new Set(trail.findings.map(({ about, quote }) => `${about}\n${quote}`));
  return [...found, ...answers]
    .filter(
      ({ about, quote }) => !isInstruction(`${about} ${quote}`) && !known.has(`${about}\n${quote}`),
    )
    .slice(0, findingsMax);
}

/** A page that was named by its address, or to which a person went. */
export const isGiven = ({ goal, trail }: Situation, { url }: Page): boolean =>
  goal.addresses.includes(url) || trail.arrival === 'open' || trail.arrival === 'person';

/** A page that was given is meant, unless a link on it leads to what is. */
const isMeant = (situation: Situation, page: Page): boolean =>
  isGiven(situation, page) &&
  !waysOn(situation.goal, situation.trail, page).some(({ share }) => share >= aboutMin);

const asFinding = ({ name, price }: Priced): Found => ({ about: name, quote: price });

/** How far a page's title, headings and address are about the goal. */
export function aboutShare({ subjects, language }: Goal, { title, root, url }: Page): number {
  const [heading = ''] = headingsOf(root);
  const path = (URL.parse(url)?.pathname ?? '').replace(/[-_/.]+/g, ' ');
  return likeness(subjects, `${title} ${heading} ${path}`, language).share;
}

/** All that a page about them offers; of another page what is one of them by its name. */
function offersOf(goal: Goal, { main }: Page, isAbout: boolean): Found[] {
  const all = pricedIn(main);
  const named = all.filter(
    ({ name }) => likeness(goal.subjects, name, goal.language).share >= nameMin,
  );
  return (isAbout ? all : named).map(asFinding);
}

function listed(goal: Goal, { main }: Page, isAbout: boolean): Found[] {
  if (!isAbout) return [];
  return entriesIn(main)
    .slice(0, goal.newest ?? findingsMax)
    .map(({ name, detail }) => ({ about: name, quote: detail || name }));
}

function answersOf({ goal, trail, request }: Situation, page: Page): Found[] {
  const open = goal.parts.filter((part) => !isAnswered(part, trail.findings, goal.language));
  const read = readPage(page, echoesOn(page.url, request.steps));
  return open.flatMap((part) => {
    if (goal.asksPrice && isAmount(part.wanted)) {
      const priced = priceOf(part.text, goal, page);
      if (priced) return [priced];
    }
    const answer = answerIn(part, read, goal.language);
    return answer?.holds ? [answer.finding] : [];
  });
}

function readPage({ title, text, root, main }: Page, isEcho: ReadPage['isNoise']): ReadPage {
  const headings = headingsOf(main);
  const links = new Set(
    [...nodesIn(root)]
      .filter(({ role }) => role === 'link' || role === 'button')
      .map(textIn)
      .filter((name) => name.split(' ').length <= linkWordsMax),
  );
  return {
    title: isEcho(title) ? '' : (headings[0] ?? title),
    text: text ?? '',
    headings,
    isNoise: (line) => links.has(line) || isEcho(line),
  };
}

const linkWordsMax = 3;

/** The offer whose name, with what its page is about, meets what a part of the goal asks for. */
function priceOf(part: string, goal: Goal, page: Page): Found | null {
  const subjects = goal.subjects.filter(({ word }) => part.toLowerCase().includes(word));
  if (subjects.length === 0) return null;
  let best: { priced: Priced; share: number } | null = null;
  for (const priced of pricedIn(page.main)) {
    const own = likeness(subjects, priced.name, goal.language).share;
    const all = likeness(subjects, `${priced.name} ${page.title}`, goal.language).share;
    if (own >= nameMin && all >= nameMin && own + all > (best?.share ?? 0)) {
      best = { priced, share: own + all };
    }
  }
  return best && asFinding(best.priced);
}

/** Whether what was noted is what the goal asks for. */
export function isEnough({ goal, trail, pending }: Situation): boolean {
  if (goal.personal !== null) return false;
  if (goal.facts.size > 0 && (trail.reported.size === 0 || pending.length > 0)) return false;
  if (asksOnlyFacts(goal)) return true;
  const { ranking, newest, isList, parts, language } = goal;
  if (ranking) return rankedBy(ranking, trail.findings).length >= (ranking.count ?? 2);
  if (newest !== null || isList) return trail.findings.length > 0;
  return parts.length > 0 && parts.every((part) => isAnswered(part, trail.findings, language));
}
