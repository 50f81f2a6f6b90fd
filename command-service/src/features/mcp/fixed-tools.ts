import { setTimeout as sleep } from 'node:timers/promises';
import { listAgents } from '@tallyhand/contracts/features/agents/agents.endpoints';
import {
  getUsage,
  USAGE_GROUPS,
  UsageQuery,
  UsageRow,
} from '@tallyhand/contracts/features/credits/credits.endpoints';
import {
  getOrganization,
  Organization,
} from '@tallyhand/contracts/features/organizations/organizations.endpoints';
import { listPlaybooks } from '@tallyhand/contracts/features/playbooks/playbooks.endpoints';
import { SEARCH_TEXT_MAX, search } from '@tallyhand/contracts/features/search/search.endpoints';
import {
  getSession,
  type Session,
  type SessionDetail,
  SessionInput,
  startSession,
  terminateSession,
} from '@tallyhand/contracts/features/sessions/sessions.endpoints';
import { SESSION_STATUSES } from '@tallyhand/contracts/features/sessions/sessions.fields';
import {
  cancelTask,
  ExecuteInput,
  executeTask,
  getTask,
} from '@tallyhand/contracts/features/tasks/tasks.endpoints';
import { NoPlaybookAssigned } from '@tallyhand/contracts/features/tasks/tasks.refusals';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import type { Refusal } from '@tallyhand/contracts/kernel/refusal';
import { z } from 'zod';
import { agentNamed } from './agent-tools.ts';
import { execute } from './execute.ts';
import { isRefused } from './product-api.ts';
import { articleUri } from './resources.ts';
import { statusOutcome, TaskResult } from './task-results.ts';
import { type FixedTool, fixedTool, type Outcome, type ToolCall } from './tool.ts';

/** Reads only, and only what the organization has. */
const READS = { readOnlyHint: true, openWorldHint: false } as const;

const AgentName = z
  .string()
  .max(100)
  .describe("The name of the agent's tool (ask_…), or the agent's id");

const runPlaybook = fixedTool({
  name: 'run_playbook',
  title: 'Run a playbook',
  description:
    'Runs a playbook step by step as one task, with an agent that it is assigned to. A task that succeeds costs credits.',
  input: z.strictObject({
    playbookId: z.uuid().describe('The id of the playbook, from list_playbooks'),
    input: ExecuteInput.shape.input.describe('What the playbook is applied to'),
    agent: AgentName.optional().describe(
      "The name of the agent's tool (ask_…), or its id. By default the newest active agent that the playbook is assigned to.",
    ),
  }),
  output: TaskResult,
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  calls: [executeTask],
  async run({ playbookId, input, agent }, call) {
    const agentId = agent ? agentNamed(agent) : await agentFor(playbookId, call);
    if (typeof agentId !== 'string') return agentId;
    const outcome = await execute(agentId, { type: 'playbook', playbookId, input }, call);
    return outcome ?? refused(NotFound({ what: 'agent' }));
  },
});

/** The newest active agent that the playbook is assigned to. */
async function agentFor(playbookId: string, { api }: ToolCall) {
  const query = { playbookId, isActive: 'true', limit: 1 };
  const agents = await api.read(listAgents, { query });
  if (isRefused(agents)) return agents;
  return agents.body[0]?.id ?? refused(NoPlaybookAssigned({}));
}

const listPlaybooksTool = fixedTool({
  name: 'list_playbooks',
  title: 'List playbooks',
  description: 'Returns playbooks with their ids, newest first: 50 at a time.',
  input: z.strictObject({
    q: z
      .string()
      .max(200)
      .optional()
      .describe('A text in the title, description, category or tags'),
    cursor: z.string().max(1_000).optional().describe('nextCursor of the page before'),
  }),
  output: z.object({
    playbooks: z.array(z.object({ id: z.string(), title: z.string(), description: z.string() })),
    nextCursor: z.string().nullable(),
  }),
  annotations: READS,
  calls: [listPlaybooks],
  async run({ q, cursor }, { api }) {
    const found = await api.read(listPlaybooks, { query: { q, cursor, limit: 50 } });
    if (isRefused(found)) return found;
    const playbooks = found.body.map(({ id, title, description }) => ({ id, title, description }));
    return asJson({ playbooks, nextCursor: found.nextCursor ?? null });
  },
});

const TaskId = z.strictObject({ taskId: z.uuid().describe('The id of a task') });

const getTaskTool = fixedTool({
  name: 'get_task',
  title: 'Status of a task',
  description: 'Returns the status of a task, and its output and sources once it has succeeded.',
  input: TaskId,
  output: TaskResult,
  annotations: READS,
  calls: [getTask],
  async run({ taskId }, { api }) {
    const task = await api.read(getTask, { params: { id: taskId } });
    return isRefused(task) ? task : statusOutcome(task.body);
  },
});

const cancelTaskTool = fixedTool({
  name: 'cancel_task',
  title: 'Cancel a task',
  description:
    'Stops a task that this API key has started, or any task for an Admin. It costs nothing.',
  input: TaskId,
  output: z.object({ taskId: z.string(), status: z.literal('cancelled') }),
  annotations: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: true,
    openWorldHint: false,
  },
  calls: [cancelTask],
  async run({ taskId }, { api }) {
    const answer = await api.command(cancelTask, { params: { id: taskId } });
    return isRefused(answer) ? answer : { text: 'The task is cancelled.', structured: answer.body };
  },
});

const SessionResult = z.object({
  sessionId: z.string(),
  status: z.enum(SESSION_STATUSES),
  currentStep: z.int(),
  maxSteps: z.int(),
  creditsCharged: z.int(),
  /** Absent while nothing has been done. */
  lastStep: z.string().nullable().describe('What was done last'),
  summary: z.string().nullable().describe('The outcome, once the session has ended'),
  keyFindings: z.array(z.string()),
});
type SessionResult = z.infer<typeof SessionResult>;

const startSessionTool = fixedTool({
  name: 'start_session',
  title: 'Start a session',
  description:
    'Lets an agent pursue a goal in a web browser, in the background. Each successful step costs credits. Follow it with watch_session.',
  input: z.strictObject({
    agent: AgentName,
    goal: SessionInput.shape.goal.describe('What the agent should find out or do'),
    context: SessionInput.shape.context.describe('What it should know besides'),
    maxSteps: SessionInput.shape.maxSteps.describe('The session ends after so many steps'),
  }),
  output: SessionResult,
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  calls: [startSession],
  async run({ agent, ...body }, { api, idempotencyKey }) {
    const params = { id: agentNamed(agent) };
    const answer = await api.command(startSession, { params, body, idempotencyKey });
    return isRefused(answer) ? answer : sessionOutcome(answer.body);
  },
});

const WATCHED_SECONDS_MAX = 300;
const LOOK_MS = 2_000;

const watchSession = fixedTool({
  name: 'watch_session',
  title: 'Watch a session',
  description:
    'Returns the state of a session. Waits until it has ended, or until the given time is over; call it again then.',
  input: z.strictObject({
    sessionId: z.uuid().describe('The id of a session'),
    waitSeconds: z
      .int()
      .min(0)
      .max(WATCHED_SECONDS_MAX)
      .default(30)
      .describe('How long to wait for the end; 0 returns the state at once'),
  }),
  output: SessionResult,
  annotations: READS,
  calls: [getSession],
  async run({ sessionId, waitSeconds }, { api, progress, cancelled }) {
    const until = Date.now() + waitSeconds * 1_000;
    for (let seen = 0; ; ) {
      const answer = await api.read(getSession, { params: { id: sessionId } });
      if (isRefused(answer)) return answer;
      const { session, steps } = answer.body;
      for (const step of steps.slice(seen)) progress(stepText(step));
      seen = steps.length;
      const isOpen = session.status === 'queued' || session.status === 'running';
      if (!isOpen || cancelled.aborted || Date.now() >= until)
        return sessionOutcome(session, steps);
      await sleep(Math.min(LOOK_MS, until - Date.now()), null, { signal: cancelled }).catch(
        () => {},
      );
    }
  },
});

const endSession = fixedTool({
  name: 'end_session',
  title: 'End a session',
  description: 'Ends a session that this API key has started, or any session for an Admin.',
  input: z.strictObject({ sessionId: z.uuid().describe('The id of a session') }),
  output: SessionResult,
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
  calls: [terminateSession],
  async run({ sessionId }, { api, idempotencyKey }) {
    const params = { id: sessionId };
    const answer = await api.command(terminateSession, { params, idempotencyKey });
    return isRefused(answer) ? answer : sessionOutcome(answer.body);
  },
});

type Step = SessionDetail['steps'][number];

const stepText = ({ stepNumber, action, input, success }: Step) =>
  `Step ${stepNumber}: ${action} ${input}${success ? '' : ' (failed)'}`.slice(0, 500);

function sessionOutcome(session: Session, steps: readonly Step[] = []): Outcome<SessionResult> {
  const { id: sessionId, status, currentStep, maxSteps, totalCreditsUsed } = session;
  const outcome = session.workspaceData.finalOutcome;
  const last = steps.at(-1);
  const structured: SessionResult = {
    sessionId,
    status,
    currentStep,
    maxSteps,
    creditsCharged: totalCreditsUsed,
    lastStep: last ? stepText(last) : null,
    summary: outcome?.summary ?? session.errorMessage,
    keyFindings: outcome?.keyFindings ?? [],
  };
  const lines = [
    `The session ${sessionId} is ${status}, at step ${currentStep} of ${maxSteps}.`,
    structured.summary,
    ...structured.keyFindings.map((finding) => `- ${finding}`),
  ];
  return { text: lines.filter(Boolean).join('\n'), structured };
}

const searchKnowledge = fixedTool({
  name: 'search_knowledge',
  title: 'Search the knowledge base',
  description:
    'Returns the articles that contain all words, best first, each with the passage that matches. Read a whole article as a resource.',
  input: z.strictObject({
    query: z.string().trim().min(1).max(SEARCH_TEXT_MAX).describe('Words to search for'),
    limit: z.int().min(1).max(20).default(5).describe('So many articles at most'),
  }),
  output: z.object({
    articles: z.array(
      z.object({
        articleId: z.string(),
        title: z.string(),
        passage: z.string().nullable(),
        uri: z.string(),
      }),
    ),
  }),
  annotations: READS,
  calls: [search],
  async run({ query, limit }, { api }) {
    const found = await api.read(search, { query: { q: query, limit } });
    if (isRefused(found)) return found;
    const hits = found.body.find(({ kind }) => kind === 'article')?.hits ?? [];
    const articles = hits.map(({ id, title, detail }) => ({
      articleId: id,
      title,
      passage: detail,
      uri: articleUri(id),
    }));
    return asJson({ articles });
  },
});

const getBalance = fixedTool({
  name: 'get_balance',
  title: 'Balance of credits',
  description: 'Returns the credits that can be spent now, and those set aside for running work.',
  input: z.strictObject({}),
  output: Organization.pick({ creditBalance: true, reserved: true }),
  annotations: READS,
  calls: [getOrganization],
  async run(_, { api }) {
    const answer = await api.read(getOrganization);
    if (isRefused(answer)) return answer;
    const { creditBalance, reserved } = answer.body;
    const text = `${creditBalance} credits can be spent; ${reserved} are set aside.`;
    return { text, structured: { creditBalance, reserved } };
  },
});

const getUsageTool = fixedTool({
  name: 'get_usage',
  title: 'Usage of credits',
  description: 'Returns the credits that were spent, in days of UTC; by default the last 30 days.',
  input: z.strictObject({
    by: z.enum(USAGE_GROUPS).default('day').describe('How the credits are grouped'),
    from: UsageQuery.shape.from.describe('The first day, as 2026-11-21'),
    to: UsageQuery.shape.to.describe('The last day, inclusive'),
  }),
  output: z.object({ usage: z.array(UsageRow) }),
  annotations: READS,
  calls: [getUsage],
  async run(query, { api }) {
    const answer = await api.read(getUsage, { query });
    return isRefused(answer) ? answer : asJson({ usage: answer.body });
  },
});

/** In the order in which clients show them. */
export const FIXED_TOOLS: readonly FixedTool[] = [
  searchKnowledge,
  listPlaybooksTool,
  runPlaybook,
  getTaskTool,
  cancelTaskTool,
  startSessionTool,
  watchSession,
  endSession,
  getBalance,
  getUsageTool,
];

/** Clients that know no structured content read it as text. */
const asJson = <O extends object>(structured: O): Outcome<O> => ({
  text: JSON.stringify(structured),
  structured,
});

function refused({ title, status, detail, code, params }: Refusal) {
  return { problem: { type: 'about:blank', title, status, detail, code, params } };
}
