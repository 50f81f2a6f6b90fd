import { z } from 'zod';
import { ADMINS, MEMBERS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id } from '../../kernel/ids.ts';
import { NotFound } from '../../kernel/problem.ts';
import { Sentence } from '../../kernel/sentence.ts';
import { EmbeddingModelMissing } from './models.refusals.ts';

/** The default of the installation, the embedding model of a connection, or no embedding model. */
export const EMBEDDING_SOURCES = ['default', 'connection', 'off'] as const;
export type EmbeddingSource = (typeof EMBEDDING_SOURCES)[number];

const ONE_SOURCE = `source must be one of ${EMBEDDING_SOURCES.join(', ')}`;

export const EmbeddingChoice = z
  .strictObject({
    source: z.enum(EMBEDDING_SOURCES, { error: ONE_SOURCE }),
    connectionId: Id.nullable().default(null),
  })
  .refine(
    ({ source, connectionId }) => (source === 'connection') === (connectionId !== null),
    'connectionId is required for the source connection, and for no other',
  );
export type EmbeddingChoice = z.infer<typeof EmbeddingChoice>;

export const MeaningSearch = z.object({
  source: z.enum(EMBEDDING_SOURCES),
  connectionId: Id.nullable(),
  /** The embedding model in use; null: articles are found by their words only. */
  model: z.string().nullable(),
  /** Articles that are not deleted, and those of them that are embedded. */
  articles: z.int(),
  embedded: z.int(),
  /** Tokens sent to this model so far; estimated if the endpoint did not count some of them. */
  inputTokens: z.int(),
  isEstimated: z.boolean(),
  /** Why the model can't be used right now. */
  failure: Sentence.nullable(),
});
export type MeaningSearch = z.infer<typeof MeaningSearch>;

const common = { path: '/api/meaning-search', feature: 'models', status: 200 } as const;

export const getMeaningSearch = endpoint({
  ...common,
  name: 'getMeaningSearch',
  method: 'GET',
  access: MEMBERS,
  summary: 'Retrieve the search by meaning',
  description:
    'Returns which embedding model finds passages of articles, and how many it has read.',
  answer: MeaningSearch,
  answerExample: {
    source: 'connection',
    connectionId: '0193a1b2-0000-7000-8000-000000000001',
    model: 'mistral-embed',
    articles: 16,
    embedded: 12,
    inputTokens: 18_200,
    isEstimated: false,
    failure: null,
  },
});
export const setMeaningSearch = endpoint({
  ...common,
  name: 'setMeaningSearch',
  method: 'PUT',
  access: ADMINS,
  summary: 'Choose the embedding model',
  description:
    'All articles are sent to the chosen model in the background. Until then, they are found by their words.',
  body: EmbeddingChoice,
  example: { source: 'default' },
  answer: MeaningSearch.pick({ source: true, connectionId: true }),
  answerExample: { source: 'connection', connectionId: '0193a1b2-0000-7000-8000-000000000001' },
  refusals: [NotFound, EmbeddingModelMissing],
});
