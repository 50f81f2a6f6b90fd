import {
  type Answer,
  type AnswerRequest,
  EngineFailure,
  type OfflineEngine,
  throwIfCancelled,
} from '@tallyhand/agent-runtime/engine';
import type { Persona } from '@tallyhand/contracts/features/agents/agents.fields';
import { ModelSeesNoImages } from '@tallyhand/contracts/features/tasks/work-failures';
import { closestQuote, type Evidence, evidenceFor, libraryOf } from './answers/evidence.ts';
import { isQuestion, type Question, questionsOf } from './answers/question.ts';
import { answerByTool } from './tools/use-tool.ts';
import { uniqueBy } from './words/data.ts';
import { detectLanguage } from './words/terms.ts';

/** The name shown wherever a model is named. */
export const OFFLINE_MODEL = 'built-in engine';
/** Callers pass at most 40. */
const PASSAGES_MAX = 60;
const NEAREST_MAX = 2;
/** A second passage is near from this share of the nearest one's score on. */
const NEAR_SCORE_MIN = 0.8;

/**
 * Answers without a network or a model: calls the tool that the request names or fits, else quotes
 * the sentences of the passages that meet the question best. Where it is not sure, the answer says so and
 * quotes the nearest passages. It never adds facts.
 */
export function offlineEngine(): OfflineEngine {
  return {
    model: OFFLINE_MODEL,
    seesImages: false,
    closestQuote,
    async answer(request) {
      throwIfCancelled(request.signal);
      if (request.images?.length) throw new EngineFailure(ModelSeesNoImages({}));
      const found = await answerByTool(request);
      const answer = found ? { ...found, sources: [], model: OFFLINE_MODEL } : answerFrom(request);
      request.onText?.(answer.output);
      return answer;
    },
  };
}

function answerFrom({ agent, input, passages, signal }: AnswerRequest): Answer {
  const read = passages.slice(0, PASSAGES_MAX).filter(({ text }) => text.trim() !== '');
  if (read.length === 0) {
    return withoutSources(
      'No articles assigned to this agent match this question.',
      'No passages were found to search.',
    );
  }
  const sample = read.slice(0, 5).map(({ text }) => text.slice(0, 500));
  const language = detectLanguage(input, sample.join('\n'));
  const titles = [...new Set(read.map(({ articleTitle }) => articleTitle))];
  const questions = questionsOf(input, language);
  if (questions.length === 0) {
    const reasoning = 'The question has no words to search for.';
    return withoutSources(wordNoAnswer(titles), reasoning);
  }
  const library = libraryOf(read, language);
  const found = questions.map((question) => {
    throwIfCancelled(signal);
    return { question, evidence: evidenceFor(question, library) };
  });
  const findings = found.map(({ question, evidence: [best] }) => ({
    question: question.text,
    evidence: best?.holds ? best : null,
  }));
  const reasoning = found.map((one) => explain(one.question, one.evidence, read.length)).join('\n');
  const sources = sourcesOf(findings);
  if (sources.length === 0) {
    const nearest = nearestOf(found.map(({ evidence }) => evidence));
    const output = nearest.length > 0 ? wordUnsure(nearest) : wordNoAnswer(titles);
    return withoutSources(output, reasoning);
  }
  // A statement without an answer is left out. A question without an answer gets a plain no.
  const shown = findings.filter(
    ({ question, evidence }) => evidence !== null || isQuestion(question),
  );
  return { output: wordAnswer(shown, agent.persona), reasoning, sources, model: OFFLINE_MODEL };
}

const withoutSources = (output: string, reasoning: string): Answer => ({
  output,
  reasoning,
  sources: [],
  model: OFFLINE_MODEL,
});

/** The passages nearest to the question that comes nearest to an answer. */
function nearestOf(found: Evidence[][]): Evidence[] {
  const confidence = ([best]: Evidence[]) => best?.confidence ?? 0;
  const [nearest = []] = found.toSorted((a, b) => confidence(b) - confidence(a));
  const scoreMin = (nearest[0]?.score ?? 0) * NEAR_SCORE_MIN;
  return nearest.filter(({ score }) => score >= scoreMin).slice(0, NEAREST_MAX);
}

/** The best passage of each question, once. */
function sourcesOf(findings: Finding[]): Answer['sources'] {
  const sources = findings.flatMap(({ evidence }) => {
    if (!evidence) return [];
    const { articleId, articleVersion, articleTitle, ordinal, isAttachment } = evidence.passage;
    const source = { articleId, articleVersion, articleTitle, ordinal, quote: evidence.quote };
    return [isAttachment ? { ...source, isAttachment } : source];
  });
  return uniqueBy(sources, ({ articleId, ordinal, quote }) => `${articleId} ${ordinal} ${quote}`);
}

function explain(question: Question, evidence: Evidence[], passages: number): string {
  const [best] = evidence;
  const searched = `Searched ${passages} passages for: ${question.words.join(', ')}.`;
  if (!best) return `No match. ${searched}`;
  const where = `“${best.passage.articleTitle}”, passage ${best.passage.ordinal + 1}`;
  const match = `${where} (${Math.round(best.confidence * 100)}% confidence)`;
  return best.holds
    ? `Best match: ${match}. ${searched}`
    : `Closest match: ${match}, too low for an answer. ${searched}`;
}

type Quoted = Pick<Evidence, 'passage' | 'quote'>;

/** What was found for one question. Without evidence the articles hold no answer to it. */
type Finding = { question: string; evidence: Evidence | null };

const noAnswer =
  'I couldn’t find an answer to this question in the articles assigned to this agent.';
const notSure = 'I’m not sure. The articles don’t clearly answer this question.';
const titlesShownMax = 8;
const questionShownMax = 200;

const openings: Record<Persona['communicationStyle'], string> = {
  formal: 'Please find the relevant passages from the articles below.',
  professional: 'Here’s what the articles say.',
  friendly: 'Happy to help! Here is what I found for you.',
  casual: "Here's what I found.",
};

/** Puts quotes into the form and tone that the persona asks for. Adds no facts. */
function wordAnswer(findings: Finding[], persona: Persona): string {
  const parts = findings.map(({ question, evidence }) => {
    const head = findings.length > 1 ? `**${shortened(question)}**\n\n` : '';
    return `${head}${evidence ? wordEvidence(evidence, persona) : noAnswer}`;
  });
  const opening =
    persona.responseFormat === 'concise' ? '' : `${openings[persona.communicationStyle]}\n\n`;
  return `${opening}${parts.join('\n\n')}`;
}

function wordEvidence(evidence: Quoted, persona: Persona): string {
  const [where, quote] = [place(evidence), block(evidence.quote)];
  switch (persona.responseFormat) {
    case 'concise':
      return `${quote}\n\n— ${where}`;
    case 'structured':
      return `- **${where}**\n\n${quote.replaceAll(/^/gm, '  ')}`;
    case 'conversational':
      return `The ${evidence.passage.isAttachment ? 'document' : 'article'} ${where} says:\n\n${quote}`;
    case 'detailed':
      return `From ${where}:\n\n${quote}`;
  }
}

/** Says that no answer is certain, and quotes the nearest passages. */
function wordUnsure(nearest: Quoted[]): string {
  const passages = nearest.length === 1 ? 'The closest passage is' : 'The closest passages are';
  const quotes = nearest.map((one) => `${block(one.quote)}\n\n— ${place(one)}`);
  return `${notSure} ${passages}:\n\n${quotes.join('\n\n')}`;
}

/** Says plainly that there is no answer, and what was searched. */
function wordNoAnswer(titles: string[]): string {
  const shown = titles.slice(0, titlesShownMax).map(quoted);
  const more = titles.length - shown.length;
  const list = more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
  return `${noAnswer} Searched: ${list}.`;
}

function place({ passage: { articleTitle, heading } }: Quoted): string {
  const title = quoted(articleTitle);
  return heading === null ? title : `${title} (${heading})`;
}

const quoted = (title: string) => `“${title}”`;

/** A Markdown quotation, in which lists and tables keep their form. */
function block(quote: string): string {
  return quote
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}

function shortened(question: string): string {
  const line = question.replace(/\s+/g, ' ').replaceAll('*', '');
  return line.length <= questionShownMax ? line : `${line.slice(0, questionShownMax).trimEnd()}…`;
}
