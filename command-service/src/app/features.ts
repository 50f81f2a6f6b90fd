import type { engineFor } from '@tallyhand/agent-runtime/choose-engine';
import type { AnswerEngine } from '@tallyhand/agent-runtime/engine';
import { derivedId, newId } from '@tallyhand/service-kit/crypto/ids';
import type { PgBoss } from 'pg-boss';
import { agentsOf } from '../features/agents/agents.ts';
import { creditsOf } from '../features/credits/credits.ts';
import type { OpenReservation } from '../features/credits/settle-reservations.ts';
import { registrationOf } from '../features/identity/registration.ts';
import { articlesOf } from '../features/knowledge/articles.ts';
import { organizationsOf } from '../features/organizations/organizations.ts';
import { searchPassages } from '../features/tasks/passage-search.ts';
import { type EndedTask, type TaskRunner, taskRunner } from '../features/tasks/run-task.ts';
import { invitationsOf } from '../features/team/invitations.ts';
import type { Kit } from '../kit/app.ts';
import type { CommandContext } from '../kit/context.ts';
import type { Endings } from '../kit/endings.ts';

export type ModelSettings = Parameters<typeof engineFor>[0];

/** The features, wired to each other: the only place where they meet. */
export function composeFeatures(kit: Kit) {
  const credits = creditsOf(kit);
  const organizations = organizationsOf(kit);
  const invitations = invitationsOf(kit);
  const registration = registrationOf(kit, {
    registerOrganization: organizations.register,
    addMember: organizations.addMember,
    grantSignUpCredits: credits.grantSignUpCredits,
    checkInvitation: invitations.check,
    acceptInvitation: invitations.accept,
  });
  return {
    credits,
    organizations,
    invitations,
    registration,
    agents: agentsOf(kit),
    articles: articlesOf(kit),
  };
}

export type Features = ReturnType<typeof composeFeatures>;

export function composeTaskRunner(
  kit: Kit,
  features: Features,
  endings: Endings,
  engine: AnswerEngine,
): TaskRunner {
  return taskRunner({
    kit,
    engine,
    endings,
    findPassages: (organizationId, articles, question) =>
      searchPassages(kit.pool, organizationId, articles, question),
    async findProfile(agentId, organizationId) {
      const agent = await features.agents.find(agentId, organizationId);
      if (!agent) return null;
      const { name, description, persona, version, assigned } = agent;
      return { name, description, persona, version, articles: assigned.articles };
    },
    settle: (context, task) => settleTask(features, context, task),
  });
}

function settleTask({ credits }: Features, context: CommandContext, task: EndedTask) {
  const { organizationId, taskId, success } = task;
  return success
    ? credits.charge(context, organizationId, taskId)
    : credits.release(context, organizationId, taskId, 'work-failed');
}

/** Ends a reservation that was left behind, by what really happened to its task. */
export function settlerOf(features: Features, runner: TaskRunner, boss: PgBoss, queue: string) {
  return async ({ organizationId, reservationId, work }: OpenReservation): Promise<void> => {
    const now = new Date();
    const task = await runner.find(work.id);
    if (!task) {
      const context: CommandContext = {
        organizationId,
        actor: { kind: 'reaction' },
        commandId: derivedId(reservationId, 'never-started'),
        correlationId: newId(),
        causationId: null,
        now,
      };
      await features.credits.release(context, organizationId, reservationId, 'work-never-started');
      return;
    }
    if (!task.end && Date.parse(task.deadline) > now.getTime()) return;
    await boss.cancel(queue, work.id).catch(() => {});
    const cause = { correlationId: newId(), causationId: null };
    const sentence = 'The task took too long and was stopped.';
    await runner.giveUp(work.id, cause, 'deadline-passed', sentence);
  };
}
