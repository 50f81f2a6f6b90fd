import type { AnswerExamples } from '../../kernel/answer-examples.ts';
import type * as knowledge from './knowledge.endpoints.ts';

export const knowledgeExamples: AnswerExamples<typeof knowledge> = {
  Article: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    title: 'Returns',
    content: 'Items can be returned within 30 days of delivery.',
    truncated: false,
    category: 'General',
    tags: ['returns'],
    isPublic: false,
    version: 1,
    createdAt: '2027-01-31T09:30:00.000Z',
    updatedAt: '2027-01-31T09:30:00.000Z',
  },
  ImportedArticle: {
    id: '0193a1b2-0000-7000-8000-000000000001',
    title: 'Opening hours',
    content: '# Opening hours\n\nFrom 9 to 5.',
    category: 'Imported',
    tags: [],
    isPublic: false,
    version: 1,
    createdAt: '2027-01-31T09:30:00.000Z',
    updatedAt: '2027-01-31T09:30:00.000Z',
    warnings: [],
    remarks: [],
  },
  ConvertedDocument: {
    title: 'Opening hours',
    content: '# Opening hours\n\nFrom 9 to 5.',
    warnings: [],
    remarks: [],
  },
};
