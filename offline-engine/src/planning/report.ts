import type { PlannedStep } from '@tallyhand/agent-runtime/browsing/planner';
import { uniqueBy } from '../words/data.ts';
import { answerIn, isEnough, passagesIn } from './findings.ts';
import { formOf, obstacleOf } from './obstacles.ts';
import { type Ranked, rankedBy } from './offers.ts';
import { beginningOf, FACT_LABELS, gaveNoPage } from './page-facts.ts';
import type { Finding, Situation } from './trail.ts';

const findingsMax = 20;
const failuresMax = 5;
const pagesShownMax = 3;
const goalShownMax = 300;
const outputShownMax = 1_500;
const NEAREST = 'Nearest';

/** The last step reports the goal, the pages, what was found there, and what failed. */
export function finish(situation: Situation, reasoning: string): PlannedStep {
  const { goal, trail, request } = situation;
  const tools = trail.toolAnswers.filter(({ success }) => success);
  const isByTool = goal.addresses.length === 0 && tools.length > 0;
  const isReached = isEnough(situation) || (isByTool && goal.personal === null);
  const ranked = goal.ranking ? rankedBy(goal.ranking, trail.findings) : [];
  const best = ranked.slice(0, goal.ranking?.count ?? findingsMax);
  const noted = best.length > 0 ? best : trail.findings.slice(0, findingsMax);
  const found =
    noted.length > 0 ? noted : [...nearestPassages(situation), ...beginnings(situation)];
  const isUncertain = !isReached && goal.personal === null && found.length > 0;
  const result = isReached ? 'reached' : isUncertain ? 'uncertain' : 'not-reached';
  const keyFindings = [
    ...found.map((one, at) => `${best.length > 1 ? `${at + 1}. ` : ''}${shown(one)}`),
    ...tools.map(({ input, output }) => `${input}: ${output.slice(0, outputShownMax)}`),
  ];
  const summary = [
    `Goal: ${cut(request.goal.trim())}${/[.!?:…]$/.test(request.goal.trim()) ? '' : '.'}`,
    whereOf(situation),
    goal.ranking ? rankingOf(best, ranked.length, goal.ranking.order) : '',
    noted.length === 0 && tools.length === 0 ? nothingFound(situation) : '',
    isUncertain ? 'No reliable answer was found.' : '',
    failuresOf(situation),
    (request.page?.notices ?? []).join(' '),
  ];
  return {
    action: {
      type: 'finish',
      result,
      summary: summary.filter(Boolean).join(' '),
      keyFindings,
      nextSteps: nextSteps(situation, isReached),
    },
    reasoning,
  };
}

const cut = (text: string) =>
  text.length <= goalShownMax ? text : `${text.slice(0, goalShownMax).trimEnd()}…`;

const shown = ({ about, quote, url }: Finding) => {
  const what = about === '' || about === quote ? quote : `${about}: ${quote}`;
  return url ? `${what} (${url})` : what;
};

/** How the pages begin that were read. */
function beginnings({ trail }: Situation): Finding[] {
  return [...trail.read.values()]
    .slice(0, pagesShownMax)
    .map(({ text, url }) => ({ about: FACT_LABELS.text, quote: beginningOf(text), url }));
}

function whereOf({ trail }: Situation): string {
  const pages = [...trail.read.values()].map(({ url }) => url);
  if (pages.length === 0) return '';
  return `Read ${pages.length === 1 ? 'one page' : `${pages.length} pages`}: ${pages.join(', ')}.`;
}

function rankingOf(best: readonly Ranked[], all: number, order: 'cheapest' | 'dearest'): string {
  if (best.length === 0) return '';
  const word = order === 'cheapest' ? 'cheapest' : 'most expensive';
  const names = best.map(({ about, quote }) => `${about} (${quote})`).join(', ');
  const isByYear = new Set(best.map(({ price }) => price.perYear)).size > 1;
  return `Of ${all} offers with a price, the ${word} first${isByYear ? ', by the year' : ''}: ${names}.`;
}

/** The passage that comes nearest to each question of the goal, of all pages that were read. */
function nearestPassages({ goal, trail }: Situation): Finding[] {
  if (goal.personal !== null) return [];
  const pages = [...trail.read.values()].map(({ text, url }) => ({
    url,
    passages: passagesIn(text),
  }));
  const nearest = goal.parts.flatMap((part) => {
    const answers = pages.flatMap(({ url, passages }) => {
      const answer = answerIn(part, passages, goal.language);
      return answer ? [{ ...answer, url }] : [];
    });
    const best = answers.sort((a, b) => b.coverage - a.coverage)[0];
    return best ? [{ about: NEAREST, quote: cut(best.finding.quote), url: best.url }] : [];
  });
  return uniqueBy(nearest, ({ quote }) => quote).slice(0, findingsMax);
}

function nothingFound({ goal, trail, request }: Situation): string {
  if (goal.addresses.length === 0 && !request.page) {
    return 'The goal has no web address, so there was nothing to open.';
  }
  if (trail.read.size === 0) return 'No pages could be read.';
  return 'The pages don’t contain an answer.';
}

function failuresOf({ trail }: Situation): string {
  const failures = trail.failures
    .filter(({ isByPerson }) => !isByPerson)
    .map(
      ({ action, input, output }) => `${action} ${input.slice(0, 200)}: ${output.slice(0, 300)}`,
    );
  if (failures.length === 0) return '';
  return `Failed: ${[...new Set(failures)].slice(0, failuresMax).join(' · ')}`;
}

function nextSteps(situation: Situation, isReached: boolean): string[] {
  const { goal, page, pending, request, trail } = situation;
  if (isReached) return [];
  if (goal.addresses.length === 0 && !page) {
    return ['Start again with the address of a site or page, such as https://example.com.'];
  }
  const steps: string[] = [];
  const obstacle = page && obstacleOf(page.main, page.title);
  if (page && obstacle) {
    const what = obstacle === 'sign-in' ? 'sign in' : 'complete the robot check';
    steps.push(`Take over the browser to ${what} at ${page.url}, then hand it back.`);
  }
  if (goal.personal !== null) {
    const form = page && formOf(page.main);
    const where = page && form ? ` The form is at ${page.url} (“${form}”).` : '';
    steps.push(
      `Do this part yourself: “${goal.personal}”. The agent doesn’t submit forms.${where}`,
    );
  }
  const closed = trail.openings.values().filter(gaveNoPage);
  for (const { input: asked } of closed) {
    steps.push(`Check the address ${asked}, or ask the operator whether it’s allowed.`);
  }
  if (pending.length > 0) steps.push(`Not opened: ${pending.join(', ')}`);
  if (request.stepsLeft <= 1) steps.push('Start again with more steps.');
  if (steps.length === 0) steps.push('Add the page that has the answer, or rephrase the goal.');
  return steps;
}
