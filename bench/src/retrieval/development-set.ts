import { developmentQuestions, developmentUnanswerable } from './development-questions.ts';
import { asks, type Half } from './set.ts';

/**
 * What the engine is tuned on, beside the tuning half: other texts than those of the retrieval set,
 * in development-texts/, and harder questions. Its figures show what a change does to texts and
 * questions that nobody had in mind.
 */
export const developmentSet: Half = {
  answerable: Object.entries(developmentQuestions).flatMap(([article, questions]) =>
    questions.map(([question, phrase]) => asks(question, article, phrase)),
  ),
  unanswerable: developmentUnanswerable,
};
