import type { AnswerExamples } from '../../kernel/answer-examples.ts';
import type * as status from './status.endpoints.ts';

export const statusExamples: AnswerExamples<typeof status> = {
  Status: {
    status: 'ok',
    checks: [
      {
        name: 'database',
        status: 'ok',
      },
      {
        name: 'event-store',
        status: 'ok',
      },
    ],
  },
};
