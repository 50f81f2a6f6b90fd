import { z } from 'zod';
import { MEMBERS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id } from '../../kernel/ids.ts';

export const SEARCH_TEXT_MAX = 200;

export const SEARCH_KINDS = [
  'agent',
  'article',
  'playbook',
  'tool',
  'task',
  'session',
  'member',
] as const;
export type SearchKind = (typeof SEARCH_KINDS)[number];

/** One search result. */
export const SearchHit = z.object({
  id: Id,
  /** The name or title; of a task or session the beginning of the request. */
  title: z.string(),
  /** What distinguishes it: the matching passage, a category, an agent's name. */
  detail: z.string().nullable(),
});
export type SearchHit = z.infer<typeof SearchHit>;

/** The results of one kind, best first. */
export const SearchGroup = z.object({ kind: z.enum(SEARCH_KINDS), hits: z.array(SearchHit) });
export type SearchGroup = z.infer<typeof SearchGroup>;

export const search = endpoint({
  name: 'search',
  method: 'GET',
  path: '/api/search',
  access: MEMBERS,
  feature: 'search',
  summary: 'Search',
  description:
    'Returns the objects that contain all words of `q`, grouped by kind, the kind with the best match first. Without a match, returns the most similar names.',
  query: z.strictObject({
    q: z
      .string()
      .trim()
      .max(SEARCH_TEXT_MAX, `q must be at most ${SEARCH_TEXT_MAX} characters`)
      .default('')
      .meta({ examples: ['returns'] }),
    /** Results per kind. */
    limit: z.coerce
      .number('limit must be a number')
      .int('limit must be a whole number')
      .min(1, 'limit must be at least 1')
      .max(20, 'limit must be at most 20')
      .default(5),
  }),
  status: 200,
  answer: z.array(SearchGroup),
  answerExample: [
    {
      kind: 'article',
      hits: [{ id: '0193a1b2-0000-7000-8000-000000000001', title: 'Returns', detail: 'General' }],
    },
  ],
});
