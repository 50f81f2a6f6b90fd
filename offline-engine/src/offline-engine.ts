import {
  type Answer,
  type AnswerRequest,
  type OfflineEngine,
  throwIfCancelled,
} from '@tallyhand/agent-runtime/engine';
import { closestQuote, type Evidence, evidenceFor, libraryOf } from './answers/evidence.ts';
import { isQuestion, type Question, questionsOf } from './answers/question.ts';
import { type Finding, wordAnswer, wordNoAnswer, wordUnsure } from './answers/wording.ts';
import { answerByTool } from './tools/use-tool.ts';
import { detectLanguage } from './words/terms.ts';

/** The name shown wherever a model is named. */
export const OFFLINE_MODEL = 'built-in engine';
const model = OFFLINE_MODEL;
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
    model,
    closestQuote,
    async answer(request) {
      throwIfCancelled(request.signal);
      const found = await answerByTool(request);
      const answer = found ? { ...found, sources: [], model } : answerFrom(request);
      request.onText?.(answer.output);
      return answer;
    },
  };
}

function answerFrom({ agent, input, passages, signal }: AnswerRequest): Answer {
  const read = passages.slice(0, PASSAGES_MAX).filter(({ text }) => text.trim() !== '');
  if (read.length === 0) {
    return withoutSources(
      'No article that is assigned to this agent matches this question.',
      'No passages were found to search.',
    );
  }
  const sample = read.slice(0, 5).map(({ text }) => text.slice(0, 500));
  const language = detectLanguage(input, sample.join('\n'));
  const titles = [...new Set(read.map(({ articleTitle }) => articleTitle))];
  const questions = questionsOf(input, language);
  if (questions.length === 0) {
    const reasoning = 'The input has no words that could be searched for.';
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
  return { output: wordAnswer(shown, agent.persona), reasoning, sources, model };
}

const withoutSources = (output: string, reasoning: string): Answer => ({
  output,
  reasoning,
  sources: [],
  model,
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
    const { articleId, articleVersion, articleTitle, ordinal } = evidence.passage;
    return [{ articleId, articleVersion, articleTitle, ordinal, quote: evidence.quote }];
  });
  const keyOf = ({ articleId, ordinal, quote }: Answer['sources'][number]) =>
    `${articleId} ${ordinal} ${quote}`;
  return [...new Map(sources.map((source) => [keyOf(source), source])).values()];
}

function explain(question: Question, evidence: Evidence[], passages: number): string {
  const [best] = evidence;
  const searched = `Searched ${passages} passages for: ${question.words.join(', ')}.`;
  if (!best) return `${searched} None of them holds any of these words.`;
  const met = `${Math.round(best.coverage * 100)} % of the question's weight`;
  const where = `“${best.passage.articleTitle}”, passage ${best.passage.ordinal + 1}`;
  const verdict = best.holds ? 'enough' : 'too little';
  const confidence = `${Math.round(best.confidence * 100)} %`;
  return (
    `${searched} ${evidence.length} hold some of them; the best is ${where}, which meets ${met} ` +
    `(confidence ${confidence}): ${verdict} for an answer.`
  );
}
