import {
  type Answer,
  type AnswerEngine,
  type AnswerRequest,
  type Passage,
  throwIfCancelled,
} from '../engine.ts';
import { type Evidence, evidenceFor, libraryOf } from './evidence.ts';
import { type Question, questionsOf } from './question.ts';
import { detectLanguage } from './terms.ts';
import { answerByTool } from './use-tool.ts';
import { type Finding, type Nearest, wordAnswer, wordNoAnswer, wordUnsure } from './wording.ts';

/** What is shown wherever a model is named. */
export const builtInModel = 'built-in engine';
const model = builtInModel;
/** Callers pass at most 40; of more, only the best are read. */
const passagesMax = 60;
const sourcesMax = 3;
/** A further passage is quoted only when it is nearly as good as the best one. */
const furtherScoreMin = 0.93;
/** From so much on a place is quoted as near to the question, though not as its answer. */
const nearnessMin = 0.4;
const nearestMax = 2;
/** A second place is quoted only when it meets nearly as much of the question. */
const nearScoreMin = 0.8;

/**
 * The engine that needs no network and no model: it calls the tool that the request names or fits,
 * else it quotes the sentences of the passages that meet the question best, or says that they hold
 * no answer. It never writes a fact of its own.
 */
export function builtInEngine(): AnswerEngine {
  return {
    model,
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
  const read = passages.slice(0, passagesMax).filter((one) => one.text.trim() !== '');
  if (read.length === 0) {
    return nothing(
      'No article that is assigned to this agent matches this question.',
      'No passages were found to search.',
    );
  }
  const language = detectLanguage(input, sampleOf(read));
  const questions = questionsOf(input, language);
  const titles = [...new Set(read.map((one) => one.articleTitle))];
  if (questions.length === 0) {
    return nothing(wordNoAnswer(titles), 'The input holds no words that could be searched for.');
  }
  const library = libraryOf(read, language);
  const found = questions.map((question) => {
    throwIfCancelled(signal);
    return { question, evidence: evidenceFor(question, library) };
  });
  const findings = found.map(({ question, evidence }) => findingOf(question, evidence));
  const reasoning = found.map((one) => explain(one.question, one.evidence, read.length)).join('\n');
  // Of statements only those are reported that the articles say something about; a question
  // deserves a plain no.
  const told = findings.filter((one) => one.sources.length > 0 || /[?？؟]/.test(one.question));
  if (findings.every((one) => one.sources.length === 0)) {
    const nearest = nearestOf(found.map((one) => one.evidence));
    const output = nearest.length > 0 ? wordUnsure(nearest) : wordNoAnswer(titles);
    return nothing(output, reasoning);
  }
  return {
    output: wordAnswer(told, agent.persona),
    reasoning,
    sources: uniqueSources(told),
    model,
  };
}

function nothing(output: string, reasoning: string): Answer {
  return { output, reasoning, sources: [], model };
}

/** The places that come nearest to an answer, where any is near. */
function nearestOf(found: Evidence[][]): Nearest[] {
  const [nearest] = found.toSorted((a, b) => (b[0]?.nearness ?? 0) - (a[0]?.nearness ?? 0));
  const [best] = nearest ?? [];
  if (!nearest || !best || best.nearness < nearnessMin) return [];
  return nearest
    .filter(({ score }) => score >= best.score * nearScoreMin)
    .slice(0, nearestMax)
    .map(({ passage: { articleTitle, heading }, quote }) => ({ articleTitle, heading, quote }));
}

function findingOf(question: Question, evidence: Evidence[]): Finding {
  const holding = evidence.filter((one) => one.holds);
  const scoreMin = (holding[0]?.score ?? 0) * furtherScoreMin;
  const good = holding.filter((one) => one.score >= scoreMin).slice(0, sourcesMax);
  return {
    question: question.text,
    sources: good.map(({ passage, quote }) => ({
      articleId: passage.articleId,
      articleVersion: passage.articleVersion,
      articleTitle: passage.articleTitle,
      ordinal: passage.ordinal,
      heading: passage.heading,
      quote,
    })),
  };
}

function uniqueSources(findings: Finding[]): Answer['sources'] {
  const sources = new Map<string, Answer['sources'][number]>();
  for (const { heading: _, ...source } of findings.flatMap((one) => one.sources)) {
    sources.set(`${source.articleId} ${source.ordinal} ${source.quote}`, source);
  }
  return [...sources.values()];
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

function sampleOf(passages: Passage[]): string {
  return passages
    .slice(0, 5)
    .map((one) => one.text.slice(0, 500))
    .join('\n');
}
