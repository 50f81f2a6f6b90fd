import type { AnswerExamples } from '../../kernel/answer-examples.ts';
import type * as search from './search.endpoints.ts';

export const searchExamples: AnswerExamples<typeof search> = {
  SearchGroup: {
    kind: 'article',
    hits: [
      {
        id: '0193a1b2-0000-7000-8000-000000000001',
        title: 'Returns',
        detail: 'General',
      },
    ],
  },
};
