import { sum } from '../answers/passage-index.ts';
import { linesOf } from '../words/data.ts';
import type { Language } from '../words/language.ts';
import { similarity } from '../words/related-words.ts';
import { type Subject, subjectsOf } from '../words/terms.ts';

/** Words by which sites in several languages name the same thing: a group on each line. */
const groupsOf = new Map<string, number[]>();
for (const [at, words] of linesOf('site-words').entries()) {
  for (const word of words.split(' ')) {
    groupsOf.set(word, [...(groupsOf.get(word) ?? []), at]);
  }
}
const groupWeight = 0.6;

/** How far the words of a text stand for the subjects of a goal: their sum, and from 0 to 1. */
export function likeness(subjects: readonly Subject[], text: string, language: Language) {
  const words = subjectsOf(text, language);
  const met = sum(
    subjects.map((subject) =>
      words.reduce((most, word) => Math.max(most, likenessOf(subject, word, language)), 0),
    ),
  );
  return { sum: met, share: subjects.length === 0 ? 0 : met / subjects.length };
}

function likenessOf(asked: Subject, found: Subject, language: Language): number {
  const direct = similarity(asked.term, found.term, language);
  if (direct > 0) return direct;
  const own = groupsIn(asked);
  return groupsIn(found).some((group) => own.includes(group)) ? groupWeight : 0;
}

const groupsIn = ({ word, term }: Subject): readonly number[] =>
  groupsOf.get(word) ?? groupsOf.get(term) ?? groupsOf.get(word.replace(/(?:s|e|n|en)$/, '')) ?? [];
