import type { Passage } from '@tallyhand/agent-runtime/engine';
import { splitIntoPassages } from '@tallyhand/agent-runtime/passages';
import { evidenceFor, libraryOf } from '../answers/evidence.ts';
import type { Question } from '../answers/question.ts';
import { holdsWanted } from '../answers/wanted.ts';
import type { Language } from '../words/language.ts';
import type { Subject } from '../words/terms.ts';
import { asksOnlyFacts, asksPrice, type Goal } from './goal.ts';
import { likeness } from './likeness.ts';
import { linksToFollow } from './links.ts';
import { isInstruction } from './obstacles.ts';
import { type Priced, pricedIn, rankedBy } from './offers.ts';
import { headingsOf, nodesIn, type Page, textIn } from './outline.ts';
import { type Found, oneLine, type Situation } from './trail.ts';

const TEXT_LENGTH_MAX = 24_000;
const PASSAGES_MAX = 60;
const FINDINGS_MAX = 20;
/** A page is about the goal from this share of the subjects in its title, heading and address. */
const ABOUT_MIN = 0.5;
const NAME_MIN = 0.5;
const ANSWERED_COVERAGE_MIN = 0.45;
const LINK_WORDS_MAX = 3;

/** What the present page says that the goal asks for and no earlier finding has. */
export function lookFor(situation: Situation, page: Page): Found[] {
  const { goal, trail } = situation;
  const found = goal.ranking ? offersOn(page, situation) : answersOn(page, situation);
  const known = new Set(trail.findings.map(keyOf));
  return found
    .filter((one) => !isInstruction(`${one.about} ${one.quote}`) && !known.has(keyOf(one)))
    .slice(0, FINDINGS_MAX);
}

const keyOf = ({ about, quote }: Found) => `${about}\n${quote}`;

/** A page that was opened by its address, by the agent or by a person. */
export const isGiven = ({ goal, trail }: Situation, { url }: Page): boolean =>
  goal.addresses.includes(url) || trail.arrival === 'open' || trail.arrival === 'person';

/** How far a page's title, first heading and address are about the goal: 0 to 1. */
function aboutShare({ subjects, language }: Goal, { title, root, url }: Page): number {
  const [heading = ''] = headingsOf(root);
  const path = (URL.parse(url)?.pathname ?? '').replace(/[-_/.]+/g, ' ');
  return likeness(subjects, `${title} ${heading} ${path}`, language).share;
}

/** All offers of a page about them; of any other page, those whose name fits the goal. */
function offersOn(page: Page, situation: Situation): Found[] {
  const { goal, trail } = situation;
  const leadsToThem = linksToFollow(goal, trail, page).some(({ share }) => share >= ABOUT_MIN);
  const isAbout = aboutShare(goal, page) >= ABOUT_MIN || (isGiven(situation, page) && !leadsToThem);
  return isAbout ? pricedIn(page.main).map(offerOf) : namedOffers(page, goal.subjects, goal);
}

const offerOf = ({ name, price }: Priced): Found => ({ about: name, quote: price });

const namedOffers = (page: Page, subjects: readonly Subject[], { language }: Goal): Found[] =>
  pricedIn(page.main)
    .filter(({ name }) => likeness(subjects, name, language).share >= NAME_MIN)
    .map(offerOf);

function answersOn(page: Page, { goal, trail }: Situation): Found[] {
  const passages = passagesOf(page);
  return goal.parts
    .filter((part) => !isAnswered(part, trail.findings, goal.language))
    .flatMap((part) => {
      const [offer] = asksPrice(part.text) ? namedOffers(page, subjectsOfPart(part), goal) : [];
      if (offer) return [offer];
      const answer = answerIn(part, passages, goal.language);
      return answer?.holds ? [answer.finding] : [];
    });
}

/** The passage that answers a question best, or null where none has a word of it. */
export function answerIn(question: Question, passages: Passage[], language: Language) {
  const found = evidenceFor(question, libraryOf(passages, language));
  const fits = ({ quote }: { quote: string }) => isFitting(question, quote, language);
  const best = found.find((one) => one.holds && fits(one)) ?? found[0];
  if (!best || best.quote.trim() === '') return null;
  const { passage, quote, coverage, holds } = best;
  const finding = { about: passage.heading ?? passage.articleTitle, quote };
  return { finding, coverage, holds: holds && fits(best) };
}

/** A number, time or contact must stand in the quoted words, otherwise one of the subjects. */
function isFitting({ wanted, terms }: Question, quote: string, language: Language): boolean {
  if (wanted !== null) return holdsWanted(wanted, quote);
  return likeness(subjectsOfPart({ terms }), quote, language).sum > 0;
}

const subjectsOfPart = ({ terms }: Pick<Question, 'terms'>): Subject[] =>
  terms.map((term) => ({ term, word: term }));

/** A page's text without menus: each line is a paragraph, and headings divide it. */
function passagesOf({ title, text, root, main }: Page): Passage[] {
  const headings = headingsOf(main);
  const links = [...nodesIn(root)]
    .filter(({ role }) => role === 'link' || role === 'button')
    .map(textIn)
    .filter((name) => name.split(' ').length <= LINK_WORDS_MAX);
  return passagesIn(text ?? '', headings[0] ?? title, headings, links);
}

/** The passages of a page's text, without the skipped lines and those that instruct machines. */
export function passagesIn(
  text: string,
  title = '',
  headings: readonly string[] = [],
  skipped: readonly string[] = [],
): Passage[] {
  const isHeading = new Set(headings.map(oneLine));
  const isSkipped = new Set(skipped);
  const lines = text
    .slice(0, TEXT_LENGTH_MAX)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !isInstruction(line) && !isSkipped.has(line))
    .map((line) => (isHeading.has(oneLine(line)) ? `## ${line}` : line));
  return splitIntoPassages({ title, content: lines.join('\n\n') })
    .slice(0, PASSAGES_MAX)
    .map((passage) => ({ ...passage, ...ofPage, articleTitle: title }));
}

const ofPage = { articleId: '', articleVersion: 1 };

/** Whether one of these findings answers a question. */
function isAnswered(question: Question, findings: readonly Found[], language: Language): boolean {
  const passages = findings.map(({ about, quote }, ordinal) => ({
    ...ofPage,
    articleTitle: about,
    ordinal,
    heading: null,
    text: `${about}: ${quote}`,
  }));
  const [best] = evidenceFor(question, libraryOf(passages, language));
  return best !== undefined && best.coverage >= ANSWERED_COVERAGE_MIN;
}

/** Whether the findings are all that the goal asks for. */
export function isEnough({ goal, trail, pending }: Situation): boolean {
  if (goal.personal !== null) return false;
  if (goal.facts.size > 0 && (trail.reported.size === 0 || pending.length > 0)) return false;
  if (asksOnlyFacts(goal)) return true;
  const { ranking, parts, language } = goal;
  if (ranking) return rankedBy(ranking, trail.findings).length >= (ranking.count ?? 2);
  return parts.length > 0 && parts.every((part) => isAnswered(part, trail.findings, language));
}
