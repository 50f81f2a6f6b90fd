import type { AnswerExamples } from '../../kernel/answer-examples.ts';
import type * as attachments from './attachments.endpoints.ts';

const returns = {
  id: '0193a1b2-0000-7000-8000-000000000001',
  name: 'returns.md',
  kind: 'document' as const,
  bytes: 50,
};

export const attachmentsExamples: AnswerExamples<typeof attachments> = {
  Attachment: returns,
  AttachmentText: { ...returns, text: '# Returns\n\nItems can be returned within 30 days.' },
};
