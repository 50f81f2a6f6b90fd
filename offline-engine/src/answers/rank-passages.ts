import type { Passage } from '@tallyhand/agent-runtime/engine';
import { detectLanguage } from '../words/terms.ts';
import { evidenceFor, libraryOf } from './evidence.ts';
import { questionsOf } from './question.ts';

/**
 * The passages in the order of how well they meet the question; of an input with several questions
 * each has its turn. What meets none of its words stands last, in the order that it came.
 */
export function rankPassages(input: string, passages: Passage[]): Passage[] {
  const language = detectLanguage(input, passages[0]?.text.slice(0, 500) ?? '');
  const library = libraryOf(passages, language);
  const rankings = questionsOf(input, language).map((question) =>
    evidenceFor(question, library).map(({ passage }) => passage),
  );
  const ranked = new Set<Passage>();
  for (let at = 0; at < passages.length; at += 1) {
    for (const ranking of rankings) {
      const passage = ranking[at];
      if (passage) ranked.add(passage);
    }
  }
  for (const passage of passages) ranked.add(passage);
  return [...ranked];
}
