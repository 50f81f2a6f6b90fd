import type { Passage } from '@tallyhand/agent-runtime/engine';
import { splitIntoPassages } from '@tallyhand/agent-runtime/passages';
import { rankPassages } from '@tallyhand/offline-engine/answers/evidence';
import { detectLanguage, fold, termsOf } from '@tallyhand/offline-engine/words/terms';

/** About 5,000 tokens: three quarters of what a prompt has for passages. */
const LENGTH_MAX = 24_000;
/** Ranking them sentence by sentence is expensive. */
const RANKED_MAX = 100;

export type AttachedDocument = {
  readonly id: string;
  readonly name: string;
  readonly text: string;
};

/**
 * The passages of documents for a question, in the order of the text: all of them, if they fit into a
 * prompt, otherwise those that fit the question best and then the beginnings of the documents.
 */
export function documentPassages(
  documents: readonly AttachedDocument[],
  question: string,
): Passage[] {
  const all = documents.flatMap((document) => passagesOf(document));
  const fitting = isWithin(all) ? all : withinBudget([...bestOf(all, question), ...all]);
  const chosen = new Set(fitting);
  return all.filter((passage) => chosen.has(passage));
}

const passagesOf = ({ id, name, text }: AttachedDocument): Passage[] =>
  splitIntoPassages({ title: name, content: text }).map((passage) => ({
    ...passage,
    articleId: id,
    articleVersion: 1,
    articleTitle: name,
    isAttachment: true,
  }));

const isWithin = (passages: readonly Passage[]) =>
  passages.reduce((sum, { text }) => sum + text.length, 0) <= LENGTH_MAX;

function bestOf(passages: readonly Passage[], question: string): Passage[] {
  const asked = question.slice(0, 2_000);
  const language = detectLanguage(asked, passages[0]?.text.slice(0, 500) ?? '');
  // Stems, without small words: a request for a summary has none that the text contains.
  const terms = [...new Set(termsOf(asked, language))];
  const counted = passages.flatMap((passage) => {
    const text = fold(passage.text);
    const count = terms.filter((term) => text.includes(term)).length;
    return count > 0 ? [{ passage, count }] : [];
  });
  const most = counted.toSorted((a, b) => b.count - a.count).slice(0, RANKED_MAX);
  const ranked = rankPassages(
    asked,
    most.map(({ passage }) => passage),
  );
  return ranked.map(({ passage }) => passage);
}

function withinBudget(passages: readonly Passage[]): Passage[] {
  const chosen: Passage[] = [];
  let length = 0;
  for (const passage of new Set(passages)) {
    length += passage.text.length;
    if (length > LENGTH_MAX) break;
    chosen.push(passage);
  }
  return chosen;
}
