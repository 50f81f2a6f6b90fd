/**
 * A question of the retrieval set. `article` is the file in texts/ that answers it, and `phrase`
 * stands literally in the passage that does. Without them no text of the set answers it, though
 * its subject lies close to one that does.
 */
export type Question = {
  readonly question: string;
  readonly article: string;
  readonly phrase: string;
};

/** Half of the set: 30 questions with an answer among the texts, and 15 without; or a set of its kind. */
export type Half = {
  readonly answerable: readonly Question[];
  readonly unanswerable: readonly string[];
};

export const asks = (question: string, article: string, phrase: string): Question => ({
  question,
  article,
  phrase,
});
