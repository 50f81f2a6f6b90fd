import { whileActive } from '@tallyhand/service-kit/postgres/active-lock';
import type { OpenedKit } from './app/open-kit.ts';
import { composeChat, composeMailboxes, composeTaskRunner, settlerOf } from './app/work.ts';
import { forgetAttachments } from './features/attachments/attachments.reaction.ts';
import { anchorLogs } from './features/audit/anchor-logs.ts';
import { signGrownLogs } from './features/audit/audit-checkpoints.ts';
import { EXPORT_QUEUE, workOnExports } from './features/audit/audit-exports.ts';
import { checkLogsOften } from './features/audit/check-logs.ts';
import { growLogTrees } from './features/audit/log-trees.ts';
import { keepPublishing, publishCheckpoints } from './features/audit/publish-checkpoints.ts';
import { recordKeyUses } from './features/audit/record-key-uses.ts';
import { endLogStreams, type LogStreamTimes, streamLogs } from './features/audit/stream-logs.ts';
import { Replies } from './features/chat/replies.ts';
import { continueReplies, REPLY_QUEUE, workOnReplies } from './features/chat/reply-queue.ts';
import { finishPayments, sweepPayments } from './features/credits/payments.worker.ts';
import {
  type SweepTimes,
  sweepReservations,
  trackReservations,
} from './features/credits/settle-reservations.ts';
import { VERIFY_QUEUE, workOnVerifications } from './features/credits/verify-ledger.ts';
import { workOnLinks } from './features/identity/account-links.ts';
import { sweepHeldAddresses } from './features/identity/email-addresses.ts';
import { finishEmailChanges } from './features/identity/email-changes.ts';
import { finishErasures } from './features/identity/erasure.ts';
import { finishRegistrations } from './features/identity/registration.ts';
import { eraseFormerMembers, keepRetention } from './features/identity/retention.ts';
import type { MailboxTimes } from './features/mailboxes/mailbox-list.ts';
import { followMailTasks, keepMailboxes } from './features/mailboxes/mailboxes.reaction.ts';
import { pollMailboxes } from './features/mailboxes/poll-mailboxes.ts';
import { sendReplies } from './features/mailboxes/send-replies.ts';
import { ArticleEmbedding } from './features/models/embed-articles.ts';
import {
  mailNotifications,
  type NotificationMailTimes,
  recordNotifications,
} from './features/notifications/mail-notifications.ts';
import { syncMemberAccess } from './features/organizations/organizations.ts';
import {
  keepSessions,
  type WatchTimes,
  watchSessions,
} from './features/sessions/watch-sessions.ts';
import { mailSupport } from './features/support/mail-support.reaction.ts';
import { workOnTasks } from './features/tasks/run-task.ts';
import { keepWaitingTasks, runRequestedTasks, TASK_QUEUE } from './features/tasks/task-queue.ts';
import { mailInvitations } from './features/team/invitations.ts';
import { bindAllOldCredentials } from './features/tools/tool-credentials.ts';
import { makeDeliveries } from './features/webhooks/make-deliveries.ts';
import { sendDeliveries, type WebhookTimes } from './features/webhooks/send-deliveries.ts';
import { listenForJobs } from './kit/jobs.ts';
import { deliverMail } from './kit/mail/deliver.ts';
import { runReactions } from './kit/reactions.ts';
import { deleteOldRows } from './kit/recurring.ts';

/** Any number: the lock of the one active reaction runner. */
export const REACTIONS_LOCK = 7_261_946;

/** How soon leftovers are found; by default the worker's own intervals. */
type WorkerTimes = {
  readonly sweepTimes?: SweepTimes | undefined;
  readonly watchTimes?: WatchTimes | undefined;
  readonly mailboxTimes?: MailboxTimes | undefined;
  readonly notificationTimes?: NotificationMailTimes | undefined;
  readonly webhookTimes?: WebhookTimes | undefined;
  readonly logStreamTimes?: LogStreamTimes | undefined;
};

/** Runs tasks, reactions and recovery; of several workers, one runs the reactions. */
export async function start(
  opened: OpenedKit,
  {
    sweepTimes,
    watchTimes,
    mailboxTimes,
    notificationTimes,
    webhookTimes,
    logStreamTimes,
  }: WorkerTimes = {},
): Promise<AsyncDisposable> {
  const { kit, features, completions, sessions, boss, queue, url } = opened;
  const runner = composeTaskRunner(kit, features, completions);
  const replies = new Replies(composeChat(kit, features, completions));
  await using starting = new AsyncDisposableStack();
  const mailing = composeMailboxes(kit, features, queue, runner);
  starting.use(pollMailboxes(mailing, mailboxTimes));
  starting.use(sendReplies(mailing, mailboxTimes));
  const workers = {
    [TASK_QUEUE.name]: starting.use(workOnTasks(queue, runner, kit.log)),
    [REPLY_QUEUE.name]: starting.use(workOnReplies(boss, replies, kit.log)),
    [VERIFY_QUEUE.name]: starting.use(workOnVerifications(boss, kit)),
    [EXPORT_QUEUE.name]: starting.use(await workOnExports(boss, kit, url)),
  };
  starting.use(await listenForJobs(url, kit.log, workers));
  await workOnLinks(boss, features.accountLinks);
  const reactions = await whileActive({
    url,
    lock: REACTIONS_LOCK,
    name: 'reactions',
    log: kit.log,
    run: async () => {
      await using running = new AsyncDisposableStack();
      const embedding = new ArticleEmbedding(kit, features.embeddingModels);
      running.use(await embedding.run());
      running.use(
        runReactions({
          pool: kit.pool,
          eventLog: kit.streams.eventLog,
          log: kit.log,
          reactions: [
            finishRegistrations(features.registration),
            finishEmailChanges(features.emailChanges),
            finishErasures(features.erasure),
            forgetAttachments(features.attachments),
            keepRetention(kit),
            syncMemberAccess(features.organizations),
            mailInvitations(features.invitations),
            mailSupport(kit),
            trackReservations(kit),
            recordNotifications(kit),
            finishPayments(kit, features.payments),
            runRequestedTasks(queue),
            continueReplies(boss, kit.pool),
            keepWaitingTasks((context, { organizationId, taskId, until }) =>
              features.credits.extend(context, organizationId, taskId, until),
            ),
            followMailTasks(features.mailboxes),
            keepMailboxes(features.mailboxes),
            keepSessions(sessions),
            keepPublishing(kit, features),
            endLogStreams(kit),
            embedding.reaction,
          ],
        }),
      );
      running.use(deleteOldRows(kit));
      running.use(sweepHeldAddresses(kit));
      running.use(bindAllOldCredentials(kit));
      if (kit.settings.mail) running.use(await deliverMail(kit, url, kit.settings.mail));
      const { accounts, organizations } = features;
      const mailing = { accounts, organizations };
      running.use(mailNotifications(kit, mailing, notificationTimes));
      running.use(growLogTrees(kit));
      running.use(signGrownLogs(kit));
      running.use(checkLogsOften(kit));
      running.use(publishCheckpoints(kit));
      running.use(eraseFormerMembers(kit, features.erasure));
      const { timestampUrl } = kit.settings;
      if (timestampUrl) running.use(anchorLogs(kit, timestampUrl));
      running.use(recordKeyUses(kit));
      running.use(streamLogs(kit, logStreamTimes));
      running.use(await makeDeliveries(kit, url));
      running.use(await sendDeliveries(kit, url, features.webhooks, webhookTimes));
      const settle = settlerOf(features, sessions, runner, queue);
      running.use(sweepReservations(kit, settle, sweepTimes));
      running.use(watchSessions(sessions, watchTimes));
      running.use(sweepPayments(kit, features.payments, sweepTimes));
      return running.move();
    },
  });
  starting.use(reactions);
  return starting.move();
}
