import type { AgentProfile } from '@tallyhand/agent-runtime/engine';
import type { Evidence } from './evidence.ts';

type Persona = AgentProfile['persona'];
type Quoted = Pick<Evidence, 'passage' | 'quote'>;

/** What was found for one question. Without evidence the articles hold no answer to it. */
export type Finding = { question: string; evidence: Evidence | null };

const noAnswer = 'The articles assigned to this agent hold no answer to this question.';
const notSure = 'I am not sure: the articles do not clearly answer this question.';
const titlesShownMax = 8;
const questionShownMax = 200;

const openings: Record<Persona['communicationStyle'], string> = {
  formal: 'Please find below what the articles state on this matter.',
  professional: 'Here is what the articles say.',
  friendly: 'Happy to help! Here is what I found for you.',
  casual: "Here's what I found.",
};

/** Puts quotes into the form and tone that the persona asks for. Adds no facts. */
export function wordAnswer(findings: Finding[], persona: Persona): string {
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
      return `The article ${where} says:\n\n${quote}`;
    case 'detailed':
      return `From ${where}:\n\n${quote}`;
  }
}

/** Says that no answer is certain, and quotes the nearest passages. */
export function wordUnsure(nearest: Quoted[]): string {
  const passages = nearest.length === 1 ? 'The closest passage is' : 'The closest passages are';
  const quotes = nearest.map((one) => `${block(one.quote)}\n\n— ${place(one)}`);
  return `${notSure} ${passages}:\n\n${quotes.join('\n\n')}`;
}

/** Says plainly that there is no answer, and what was searched. */
export function wordNoAnswer(titles: string[]): string {
  const shown = titles.slice(0, titlesShownMax).map(quoted);
  const more = titles.length - shown.length;
  const list = more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
  return `${noAnswer} Searched: ${list}.`;
}

function place({ passage: { articleTitle, heading } }: Quoted): string {
  const title = quoted(articleTitle);
  return heading === null ? title : `${title} (${heading})`;
}

function quoted(title: string): string {
  return `“${title}”`;
}

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
