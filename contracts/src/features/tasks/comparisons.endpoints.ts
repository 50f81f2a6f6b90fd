import { z } from 'zod';
import { MEMBERS } from '../../kernel/access.ts';
import { endpoint } from '../../kernel/endpoint.ts';
import { Id, Instant } from '../../kernel/ids.ts';
import { Page } from '../../kernel/lists.ts';
import { ModelChoiceInput } from '../agents/agents.fields.ts';
import {
  ExecuteInput,
  NO_QUERY_STARTED,
  TASK_STATUSES,
  Task,
  TaskDetail,
  TaskVariant,
} from './tasks.endpoints.ts';

export const COMPARED_MIN = 2;
export const COMPARED_MAX = 4;

const feature = 'tasks';
const params = z.strictObject({ id: Id });
const A_LIST = `variants must be a list of ${COMPARED_MIN} to ${COMPARED_MAX} variants`;
const A_VERSION = 'version must be a whole number from 1';

/** A version of the agent, and the model that answers. */
export const VariantInput = z.strictObject(
  {
    version: z
      .int({ error: A_VERSION })
      .min(1, A_VERSION)
      .meta({ description: 'By default the current version.' })
      .optional(),
    model: ModelChoiceInput.nullable()
      .meta({
        description:
          'By default the model of the version. Null for the default of the installation, a null `connectionId` for the built-in engine.',
      })
      .optional(),
  },
  { error: (issue) => (issue.code === 'invalid_type' ? 'A variant must be an object' : undefined) },
);

export const ComparisonInput = z.strictObject({
  input: ExecuteInput.shape.input,
  variants: z
    .array(VariantInput, { error: A_LIST })
    .min(COMPARED_MIN, A_LIST)
    .max(COMPARED_MAX, A_LIST),
});

const started = {
  id: Id,
  agentId: Id,
  input: z.string(),
  createdAt: Instant,
  requestedBy: Task.shape.requestedBy,
};

/** One instruction, and the tasks that answer it, in the order of the variants. */
export const Comparison = z.object({ ...started, tasks: z.array(TaskDetail) });
export type Comparison = z.infer<typeof Comparison>;

/** In lists `input` is truncated to 2,000 characters. */
export const ComparisonSummary = z.object({
  ...started,
  variants: z.array(
    TaskVariant.pick({ agentVersion: true, model: true }).extend({
      taskId: Id,
      status: z.enum(TASK_STATUSES),
    }),
  ),
});
export type ComparisonSummary = z.infer<typeof ComparisonSummary>;

/** Where to follow the work: `GET /api/comparisons/{comparisonId}`. */
export const ComparisonAccepted = z.object({ comparisonId: Id, tasks: z.array(Id) });
export type ComparisonAccepted = z.infer<typeof ComparisonAccepted>;

const startedExample = {
  id: '0193a1b2-0000-8000-8000-000000000003',
  agentId: '0193a1b2-0000-7000-8000-000000000002',
  input: 'How long can items be returned?',
  createdAt: '2027-01-31T09:30:00.000Z',
  requestedBy: { id: '0193a1b2-0000-7000-8000-000000000004', name: 'Ada Lovelace' },
};
const variant = { agentVersion: 1, model: null };
const taskId = '0193a1b2-0000-8000-8000-000000000001';

export const compareVariants = endpoint({
  name: 'compareVariants',
  method: 'POST',
  path: '/api/agents/{id}/comparisons',
  access: MEMBERS,
  feature,
  summary: 'Compare versions and models',
  description:
    'Starts one task for each of 2 to 4 versions or models, with the same instructions, and answers with their ids. The credits of all are set aside, or of none. Each task is charged when it succeeds; one that fails costs nothing. The agent uses only tools that read, and no fallback answers. A model must be in the list of its connection.',
  params,
  body: ComparisonInput,
  example: {
    input: 'How long can items be returned?',
    variants: [{ version: 1 }, { model: { connectionId: null } }],
  },
  status: 202,
  answer: ComparisonAccepted,
  answerExample: {
    comparisonId: startedExample.id,
    tasks: [taskId, '0193a1b2-0000-8000-8000-000000000005'],
  },
  location: '/api/comparisons/{comparisonId}',
  refusals: NO_QUERY_STARTED,
});
export const getComparison = endpoint({
  name: 'getComparison',
  method: 'GET',
  path: '/api/comparisons/{id}',
  access: MEMBERS,
  feature,
  summary: 'Retrieve a comparison',
  description:
    'Returns the tasks of a comparison. A task that was retried is replaced by the new one.',
  params,
  status: 200,
  answer: Comparison,
  answerExample: {
    ...startedExample,
    tasks: [
      {
        ...startedExample,
        id: taskId,
        type: 'query',
        status: 'queued',
        output: null,
        errorMessage: null,
        errorCode: null,
        errorParams: {},
        reasoning: null,
        executionTimeMs: null,
        creditCost: 0,
        rating: { up: 0, down: 0, own: null },
        context: null,
        metadata: null,
        retryOf: null,
        attachments: [],
        agentName: 'Support',
        model: null,
        playbook: null,
        steps: [],
        toolCalls: [],
        approvals: [],
        sources: [],
        charge: null,
        ratings: [],
        usage: [],
        comparison: { comparisonId: startedExample.id, ordinal: 1, ...variant },
      },
    ],
  },
});
export const listComparisons = endpoint({
  name: 'listComparisons',
  method: 'GET',
  path: '/api/agents/{id}/comparisons',
  access: MEMBERS,
  feature,
  summary: 'List comparisons',
  description: 'Returns the comparisons of an agent, newest first.',
  params,
  query: Page,
  status: 200,
  answer: z.array(ComparisonSummary),
  answerExample: [
    {
      ...startedExample,
      variants: [{ ...variant, taskId, status: 'queued' }],
    },
  ],
});
