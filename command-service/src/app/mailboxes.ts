import type { PollContext } from '../features/mailboxes/poll-mailboxes.ts';
import type { RepliesContext } from '../features/mailboxes/send-replies.ts';
import type { OutboundMailConfig } from '../features/mailboxes/sources/mail-source.ts';
import { taskRequester } from '../features/tasks/request-task.ts';
import type { TaskRunner } from '../features/tasks/run-task.ts';
import type { Kit } from '../kit/app.ts';
import { outboundPolicyOf } from '../kit/outbound.ts';
import type { OpenedKit } from './open-kit.ts';

export const outboundMailConfigOf = ({ settings }: Kit): OutboundMailConfig => ({
  policy: outboundPolicyOf(settings),
  googleApiBase: settings.googleApiBase,
  testMsMax: settings.mailboxTestMsMax,
});

/** The parts of tasks, credits and agents that mailboxes need. */
export function composeMailboxes(
  { kit, features, queue }: Pick<OpenedKit, 'kit' | 'features' | 'queue'>,
  runner: TaskRunner,
): PollContext & RepliesContext {
  const { credits, findAgent, mailboxes } = features;
  return {
    kit,
    mailboxes,
    outbound: outboundMailConfigOf(kit),
    requestTask: taskRequester({
      kit,
      queue,
      findAgent,
      reserve: (context, work) => credits.reserve(context, work),
    }),
    async answerOf(taskId) {
      const end = (await runner.find(taskId))?.end;
      return end?.success ? end.output : null;
    },
    agentName: async (id, organizationId) => (await findAgent(id, organizationId))?.name ?? null,
  };
}
