import { throwIfCancelled } from '@tallyhand/agent-runtime/engine';
import type { WorkKind } from '@tallyhand/contracts/features/credits/paid-work';
import { NothingToRate } from '@tallyhand/contracts/features/ratings/ratings.refusals';
import { TaskTooLate } from '@tallyhand/contracts/features/tasks/work-failures';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import { derivedId, newId } from '@tallyhand/service-kit/crypto/ids';
import type { Position } from '@tallyhand/service-kit/event-store/position';
import { keyNames } from '../features/api-keys/api-keys.ts';
import type { ChatContext } from '../features/chat/chat.ts';
import { findOwn } from '../features/chat/chat.ts';
import type { OpenReservation } from '../features/credits/settle-reservations.ts';
import type { PollContext } from '../features/mailboxes/poll-mailboxes.ts';
import type { RepliesContext } from '../features/mailboxes/send-replies.ts';
import type { OutboundMailConfig } from '../features/mailboxes/sources/mail-source.ts';
import type { EmbeddingModels } from '../features/models/embedding-models.ts';
import type { RatingsContext } from '../features/ratings/ratings.routes.ts';
import { Sessions } from '../features/sessions/sessions.ts';
import { TaskRunner } from '../features/tasks/run-task.ts';
import { searchPassages } from '../features/tasks/search-passages.ts';
import { taskStream } from '../features/tasks/task.decider.ts';
import type { TaskQueue } from '../features/tasks/task-queue.ts';
import { requestTask } from '../features/tasks/task-request.ts';
import type { EndedTask } from '../features/tasks/task-runner-context.ts';
import type { Kit } from '../kit/app.ts';
import type { CompletionSignals } from '../kit/completion-signals.ts';
import { backgroundContext, type CommandContext } from '../kit/context.ts';
import { outboundPolicyOf } from '../kit/outbound.ts';
import type { Features } from './features.ts';

/**
 * Finds passages among the articles that an agent may use, as of `since` or later. Rejects with an
 * `EngineFailure` when the signal aborts while it waits for its turn.
 */
export function passagesBy(
  { pool, queues }: Pick<Kit, 'pool' | 'queues'>,
  models: Pick<EmbeddingModels, 'meaningOf'>,
) {
  return async (
    organizationId: string,
    articles: readonly string[],
    question: string,
    { since, signal }: { readonly since: Position; readonly signal?: AbortSignal | undefined },
  ) => {
    const meaningOf = (text: string) => models.meaningOf(organizationId, text, since);
    const work = () => searchPassages(pool, { organizationId, articles, question, meaningOf });
    try {
      // Running tasks and replies are bounded in number.
      return await queues.retrieval.run(organizationId, work, { signal });
    } catch (error) {
      if (signal) throwIfCancelled(signal);
      throw error;
    }
  };
}

/** Names of members and API keys, which start work. */
function namesOf(kit: Kit, { accounts }: Pick<Features, 'accounts'>) {
  const nameOfKey = keyNames(kit);
  return async (id: string, organizationId: string) =>
    (await accounts.nameOf(id, organizationId)) ?? nameOfKey(id, organizationId);
}

/** Sessions, with the ledger and the resources of their agents. */
export function composeSessions(
  kit: Kit,
  features: Features,
  completions: CompletionSignals,
): Sessions {
  const { credits, agentTools } = features;
  return new Sessions({
    kit,
    completions,
    ledger: credits,
    priceOf: features.priceOf,
    findAgent: features.findAgent,
    plannerOf: (organizationId, model, price) =>
      features.engines.planners.of(organizationId, model, { kind: 'step', price }),
    // A session uses browser tools in its own browser only.
    findTools: (ids, organizationId) => agentTools(ids, organizationId, organizationId),
    nameOf: namesOf(kit, features),
  });
}

export const composeChat = (
  kit: Kit,
  features: Features,
  completions: CompletionSignals,
): ChatContext => ({
  kit,
  completions,
  organizations: features.organizations,
  engineOf: (organizationId, model) => features.engines.answers.of(organizationId, model),
  nameOf: namesOf(kit, features),
  findAgent: features.findAgent,
  findTools: features.agentTools,
  closeTools: (workId) => features.openTools.close(workId),
  findPassages: passagesBy(kit, features.embeddingModels),
  attachments: features.attachments,
});

export function composeTaskRunner(
  kit: Kit,
  features: Features,
  completions: CompletionSignals,
): TaskRunner {
  return new TaskRunner({
    kit,
    engineOf: (organizationId, model, paid) =>
      features.engines.answers.of(organizationId, model, { kind: 'task', ...paid }),
    completions,
    findPassages: passagesBy(kit, features.embeddingModels),
    findTools: features.agentTools,
    closeTools: (workId) => features.openTools.close(workId),
    async findPlaybook(id, organizationId) {
      const playbook = await features.playbooks.find(id, organizationId);
      if (!playbook) return null;
      const { title, steps } = playbook.fields;
      return { playbookId: id, version: playbook.version, title, steps };
    },
    findProfile: features.findAgent,
    openAttachments: (organizationId, attachments) =>
      features.attachments.open(organizationId, attachments),
    findVersion: features.findAgentVersion,
    findBackground: (taskId) => features.mailboxes.mails.about(taskId),
    settle: (context, task) => settleTask(features, context, task),
    keep: (context, { organizationId, taskId }) =>
      features.credits.extend(context, organizationId, taskId),
  });
}

/** Charges or releases the reservation of a task, by how it ended. */
export async function settleTask(
  { credits }: Pick<Features, 'credits'>,
  context: CommandContext,
  { organizationId, taskId, end }: EndedTask,
) {
  if (!end) return;
  if (end.success) return credits.charge(context, organizationId, taskId);
  const reason = end.isCancelled ? 'work-cancelled' : 'work-failed';
  return credits.release(context, organizationId, taskId, reason);
}

/** Settles an abandoned reservation by the outcome of its work; returns whether that has ended. */
type Settler = (reservation: OpenReservation) => Promise<boolean>;

export function settlerOf(
  features: Features,
  sessions: Sessions,
  runner: TaskRunner,
  queue: TaskQueue,
): Settler {
  const settlers: Readonly<Record<WorkKind, Settler>> = {
    task: taskSettler(features, runner, queue),
    step: ({ organizationId, work, isExpired }) =>
      sessions.settleLeft({ organizationId, stepId: work.id, isExpired }),
  };
  return (reservation) => settlers[reservation.work.kind](reservation);
}

function taskSettler({ credits }: Features, runner: TaskRunner, queue: TaskQueue): Settler {
  return async ({ organizationId, reservationId, work, isExpired }) => {
    const now = new Date();
    const contextFor = (what: string) =>
      backgroundContext('reaction', organizationId, { commandId: derivedId(reservationId, what) });
    const task = await runner.find(work.id);
    if (!task) {
      const context = contextFor('never-started');
      await credits.release(context, organizationId, reservationId, 'work-never-started');
      return true;
    }
    if (!task.end && Date.parse(task.deadline) > now.getTime()) {
      if (isExpired) await credits.expire(contextFor('expired'), organizationId, reservationId);
      return false;
    }
    await queue.cancel(work.id);
    const cause = { correlationId: newId(), causationId: null };
    await runner.giveUp(work.id, cause, TaskTooLate({}));
    return true;
  };
}

/** The answers that can be rated. */
export function findAnswers(kit: Kit): Omit<RatingsContext, 'kit'> {
  const tasks = kit.streams.of(taskStream);
  return {
    async findTaskAnswer(taskId, organizationId) {
      const task = await tasks.load(taskId);
      if (task?.organizationId !== organizationId) return NotFound({ what: 'task' });
      const { agentId, agentVersion, end } = task;
      if (!end?.success || agentVersion === null) return NothingToRate({});
      return { taskId, conversationId: null, messageId: null, agentId, agentVersion };
    },
    async findReply(caller, conversationId, messageId) {
      const conversation = await findOwn(kit, caller, conversationId);
      if (isRefusal(conversation)) return conversation;
      const reply = conversation.said.find((one) => one.messageId === messageId);
      if (reply?.role !== 'agent') return NotFound({ what: 'reply' });
      const { agentId } = conversation;
      return { taskId: null, conversationId, messageId, agentId, agentVersion: reply.agentVersion };
    },
  };
}

export const outboundMailConfigOf = ({ settings }: Kit): OutboundMailConfig => ({
  policy: outboundPolicyOf(settings),
  googleApiBase: settings.googleApiBase,
  testMsMax: settings.mailboxTestMsMax,
});

/** The parts of tasks, credits and agents that mailboxes need. */
export function composeMailboxes(
  kit: Kit,
  features: Features,
  queue: TaskQueue,
  runner: TaskRunner,
): PollContext & RepliesContext {
  const { credits, findAgent, mailboxes, priceOf } = features;
  return {
    kit,
    mailboxes,
    outbound: outboundMailConfigOf(kit),
    requestTask: (context, task) =>
      requestTask({ kit, queue, findAgent, credits, priceOf }, context, task),
    async answerOf(taskId) {
      const end = (await runner.find(taskId))?.end;
      return end?.success ? end.output : null;
    },
    agentName: async (id, organizationId) => (await findAgent(id, organizationId))?.name ?? null,
  };
}
