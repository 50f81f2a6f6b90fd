import { type Evidence, evidenceFor, libraryOf } from '../../built-in/evidence.ts';
import type { Question } from '../../built-in/question.ts';
import type { Language } from '../../built-in/stop-words.ts';
import { holdsWanted, isAmount } from '../../built-in/wanted.ts';
import type { Passage } from '../../engine.ts';
import { splitIntoPassages } from '../../passages.ts';
import { isInstruction } from './instructions.ts';
import { likeness } from './likeness.ts';

/** Words of a page, literally, and what they stand under. */
export type Finding = { about: string; quote: string; url: string | null };

const noteLengthMax = 2_000;
const quoteLengthMax = 500;
const textLengthMax = 24_000;
const passagesMax = 60;

/** The note that keeps these findings, one on each line. */
export function noteOf(findings: readonly Omit<Finding, 'url'>[]): string {
  let note = '';
  for (const { about, quote } of findings) {
    const line = `${oneLine(about).slice(0, 160)}: “${oneLine(quote).slice(0, quoteLengthMax)}”`;
    if (note.length + line.length + 1 > noteLengthMax) break;
    note += note === '' ? line : `\n${line}`;
  }
  return note;
}

/** The findings of a note; what others wrote is one by itself. */
export function findingsIn({ text, url }: { text: string; url: string | null }): Finding[] {
  return text.split('\n').map((line) => {
    const [, about = '', quote = line] = /^(.*?): “(.*)”$/s.exec(line) ?? [];
    return { about, quote, url };
  });
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim();

export type Answered = { finding: Omit<Finding, 'url'>; coverage: number; holds: boolean };

export type ReadPage = {
  title: string;
  text: string;
  headings: readonly string[];
  /** Lines that say nothing: what was searched for, and short links. */
  isNoise: (line: string) => boolean;
};

/** The words of a page that answer a question best; null where it says nothing about it. */
export function answerIn(question: Question, page: ReadPage, language: Language): Answered | null {
  const passages = passagesOf(page);
  const found = evidenceFor(question, libraryOf(passages, language));
  const best =
    found.find(({ holds, quote }) => holds && isFitting(question, quote, language)) ?? found[0];
  if (!best || best.quote.trim() === '') return null;
  const { passage, quote, coverage, holds } = best;
  const finding = { about: passage.heading ?? page.title, quote };
  return { finding, coverage, holds: holds && isFitting(question, quote, language) };
}

/**
 * A number, a time or a contact that is asked for stands in the very words that are quoted; of what
 * else is asked, one of its words.
 */
function isFitting({ wanted, terms }: Question, quote: string, language: Language): boolean {
  if (isAmount(wanted) && NONE.test(quote)) return false;
  if (wanted !== null) return holdsWanted(wanted, quote);
  const subjects = terms.map((term) => ({ term, word: term }));
  return likeness(subjects, quote, language).sum > 0;
}

/** A page's text is lines: each is a paragraph, and those that are headings divide it. */
function passagesOf({ title, text, headings, isNoise }: ReadPage): Passage[] {
  const isHeading = new Set(headings.map(oneLine));
  const lines = text
    .slice(0, textLengthMax)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !isInstruction(line) && !isNoise(line))
    .map((line) => (isHeading.has(oneLine(line)) ? `## ${line}` : line));
  return splitIntoPassages({ title, content: lines.join('\n\n') })
    .slice(0, passagesMax)
    .map((passage) => ({ ...passage, articleId: '', articleVersion: 1, articleTitle: title }));
}

/** Whether these findings answer a question, each together with what it stands under. */
export function isAnswered(
  question: Question,
  findings: readonly Omit<Finding, 'url'>[],
  language: Language,
): boolean {
  const passages = findings.map(({ about, quote }, ordinal) => ({
    articleId: '',
    articleVersion: 1,
    articleTitle: about,
    ordinal,
    heading: null,
    text: `${about}: ${quote}`,
  }));
  const [best]: Evidence[] = evidenceFor(question, libraryOf(passages, language));
  return best !== undefined && best.coverage >= coverageMin;
}

const coverageMin = 0.45;
/** "Nothing found" is a number of no thing. */
const NONE = /^\P{N}*\b(?:no|nothing|keine?|nichts|aucune?|rien)\b\P{N}*$/iu;
