import type { AnswerExamples } from '../../kernel/answer-examples.ts';
import type * as ratings from './ratings.endpoints.ts';

export const ratingsExamples: AnswerExamples<typeof ratings> = {
  RatingResult: { rating: 'down', reason: 'It quotes last year’s price.' },
  AgentRatings: {
    total: { up: 12, down: 1 },
    versions: [
      { version: 2, up: 4, down: 0 },
      { version: 1, up: 8, down: 1 },
    ],
    reasons: [
      {
        rating: 'down',
        reason: 'It quotes last year’s price.',
        version: 1,
        taskId: '0193a1b2-0000-7000-8000-000000000001',
        updatedAt: '2027-01-31T09:30:00.000Z',
      },
    ],
  },
};
