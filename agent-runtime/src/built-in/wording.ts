import type { AgentProfile, Source } from '../engine.ts';

type Persona = AgentProfile['persona'];

/** What was found for one question; no sources where the articles hold no answer to it. */
export type Finding = { question: string; sources: (Source & { heading: string | null })[] };

export const noAnswer = 'The articles assigned to this agent hold no answer to this question.';
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
  const parts = findings.map((finding) => {
    const head = findings.length > 1 ? `**${shortened(finding.question)}**\n\n` : '';
    return `${head}${finding.sources.length === 0 ? noAnswer : wordFinding(finding, persona)}`;
  });
  const opening =
    persona.responseFormat === 'concise' ? '' : `${openings[persona.communicationStyle]}\n\n`;
  return `${opening}${parts.join('\n\n')}`;
}

function wordFinding({ sources }: Finding, persona: Persona): string {
  switch (persona.responseFormat) {
    case 'concise':
      return sources
        .slice(0, 1)
        .map((one) => `${block(one.quote)}\n\n— ${place(one)}`)
        .join('');
    case 'structured':
      return sources
        .map((one) => `- **${place(one)}**\n\n${indented(block(one.quote))}`)
        .join('\n\n');
    case 'conversational':
      return sources
        .slice(0, 2)
        .map(
          (one, at) =>
            `${at === 0 ? 'The' : 'And the'} article ${place(one)} says:\n\n${block(one.quote)}`,
        )
        .join('\n\n');
    case 'detailed':
      return sources.map((one) => `From ${place(one)}:\n\n${block(one.quote)}`).join('\n\n');
  }
}

/** A passage that is close to a question. */
export type Nearest = { articleTitle: string; heading: string | null; quote: string };

/** Says that there is no certain answer, and quotes what comes nearest to one. */
export function wordUnsure(nearest: Nearest[]): string {
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

function place(source: Omit<Nearest, 'quote'>): string {
  const title = quoted(source.articleTitle);
  return source.heading === null ? title : `${title} (${source.heading})`;
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

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`)
    .join('\n');
}

function shortened(question: string): string {
  const line = question.replace(/\s+/g, ' ').replaceAll('*', '');
  return line.length <= questionShownMax ? line : `${line.slice(0, questionShownMax).trimEnd()}…`;
}
