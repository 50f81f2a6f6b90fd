import { developmentQuestions, developmentUnanswerable } from './development-questions.ts';
import { asks, type Half } from './set.ts';

/**
 * Tuning data beside the tuning half: other texts than those of the retrieval set, in
 * development-texts/, and harder questions. Its figures show the effect of a change on texts and
 * questions that the change was not made for.
 */
export const developmentSet: Half = {
  answerable: Object.entries(developmentQuestions).flatMap(([article, questions]) =>
    questions.map(([question, phrase]) => asks(question, article, phrase)),
  ),
  unanswerable: developmentUnanswerable,
};
