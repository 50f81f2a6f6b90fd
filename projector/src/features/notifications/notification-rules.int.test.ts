import {
  AgentActivated,
  AgentDeleted,
  AgentPaused,
} from '@tallyhand/contracts/features/agents/agents.events';
import {
  PaymentDisputed,
  PaymentFailed,
  PaymentRefunded,
  PaymentSucceeded,
} from '@tallyhand/contracts/features/credits/payments.events';
import {
  MailboxConnected,
  MailboxDisconnected,
  MailboxFailed,
  MailboxPaused,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.events';
import {
  NotificationPreferencesChanged,
  NotificationsRead,
} from '@tallyhand/contracts/features/notifications/notifications.events';
import {
  SessionCompleted,
  SessionFailed,
  SessionRequested,
  SessionTerminated,
} from '@tallyhand/contracts/features/sessions/sessions.events';
import {
  TaskCancelled,
  TaskFailed,
  TaskRequested,
  TaskSucceeded,
} from '@tallyhand/contracts/features/tasks/tasks.events';
import { InvitationAccepted } from '@tallyhand/contracts/features/team/team.events';
import { WebhookDisabled } from '@tallyhand/contracts/features/webhooks/webhooks.events';
import type { Ciphertext } from '@tallyhand/contracts/kernel/ids';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { newId } from '@tallyhand/service-kit/crypto/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestProjector, type TestProjector } from '../../testing/test-projector.ts';
import { notificationsProjection } from './notifications.projection.ts';

const projections = [notificationsProjection];
const AT = '2026-11-21T08:00:00.000Z';

let test: TestProjector;
let organizationId: string;
let ada: string;
let bob: string;
let agentId: string;
beforeAll(async () => {
  test = await openTestProjector();
});
beforeEach(() => {
  [organizationId, ada, bob, agentId] = [newId(), newId(), newId(), newId()];
});
afterAll(() => test[Symbol.asyncDispose]());

/** As of a newer writer: nothing is brought to a later shape. */
const NEWEST = 100;

/** Appends them to a new stream, as a member's actions, and returns the notifications. */
async function happened(events: readonly EventValue[], by: string | null = null) {
  const envelope = {
    schemaVersion: NEWEST,
    organizationId,
    correlationId: 'c',
    causationId: null,
    actor: by ? { kind: 'member', id: by } : { kind: 'worker' },
    recordedAt: AT,
  };
  await test.eventLog.append(
    `any-${newId()}`,
    events.map((event) => ({
      id: newId(),
      type: event.type,
      data: event.data,
      envelope: { ...envelope, commandId: newId() },
    })),
    null,
  );
  return projected();
}
async function projected() {
  await using _running = test.project(projections);
  await test.caughtUp(projections);
  return test.rows<Row>('notifications', organizationId, 'kind, params::text');
}
type Row = Readonly<Record<string, unknown>> & { readonly notification_id: string };

const task = (requestedBy: string | null) => {
  const own = { taskId: newId(), organizationId };
  const requested = TaskRequested({
    ...own,
    agentId,
    taskType: 'query',
    input: 'Hello',
    requestedBy,
    price: 1,
    deadline: AT,
  });
  const why = { code: 'engine', params: { status: 503 }, error: 'Gone' };
  const failed = TaskFailed({ ...own, ...why, executionTimeMs: 1 });
  return { own, requested, failed };
};
const session = () => {
  const own = { sessionId: newId(), organizationId };
  const outcome = { summary: '', keyFindings: [], nextSteps: [] };
  const requested = SessionRequested({
    ...own,
    agentId,
    goal: 'Look',
    context: null,
    maxSteps: 5,
    price: 1,
    requestedBy: ada,
    deadline: AT,
  });
  return { own: { ...own, outcome }, requested };
};
const worksLeft = () => test.rows('notification_works', organizationId, 'work_id');

describe('a task that failed', () => {
  it('is reported to the member who started it, whether or not all events came at once', async () => {
    const [whole, begun, nobodys] = [task(ada), task(bob), task(null)];
    expect(await happened([whole.requested, whole.failed, begun.requested])).toMatchObject([
      {
        kind: 'task-failed',
        severity: 'warning',
        to_user: ada,
        to_roles: null,
        object_kind: 'task',
        object_id: whole.own.taskId,
        agent_id: agentId,
        params: { status: 503, code: 'engine', error: 'Gone' },
      },
    ]);
    expect(await worksLeft()).toHaveLength(1);
    const rows = await happened([begun.failed, nobodys.requested, nobodys.failed]);
    expect(rows.map(({ to_user }) => to_user).toSorted()).toEqual([ada, bob].toSorted());
    expect(await worksLeft()).toEqual([]);
  });

  it('is the only end of a task that is reported', async () => {
    const [good, ended] = [task(ada), task(ada)];
    const rows = await happened([
      good.requested,
      ended.requested,
      TaskCancelled({ ...ended.own, cancelledBy: bob }),
      TaskSucceeded({
        ...good.own,
        output: '',
        reasoning: null,
        sources: [],
        model: 'm',
        executionTimeMs: 1,
      }),
    ]);
    expect([rows, await worksLeft()]).toEqual([[], []]);
  });
});

describe('a session that ended', () => {
  it('is reported to the member who started it, unless they ended it themselves', async () => {
    const [done, lost, stopped, own] = [session(), session(), session(), session()];
    const terminated = { reason: 'by-person' as const };
    const rows = await happened([
      ...[done, lost, stopped, own].map(({ requested }) => requested),
      SessionCompleted({ ...done.own, reason: 'goal-reached' }),
      SessionFailed({ ...lost.own, reason: 'runner-lost', code: null, params: {}, error: 'Lost' }),
      SessionTerminated({ ...stopped.own, ...terminated, terminatedBy: bob }),
      SessionTerminated({ ...own.own, ...terminated, terminatedBy: ada }),
    ]);
    expect(rows.map(({ severity, params, to_user }) => [severity, params, to_user])).toEqual([
      ['info', { status: 'terminated', reason: 'by-person' }, ada],
      ['info', { status: 'completed', reason: 'goal-reached' }, ada],
      ['warning', { status: 'failed', reason: 'runner-lost' }, ada],
    ]);
    expect(await worksLeft()).toEqual([]);
  });
});

describe('changes of an agent', () => {
  it('are reported to the managers of agents, except the one who made them', async () => {
    const agent = { agentId, organizationId };
    const rows = await happened([AgentPaused(agent), AgentActivated(agent)], ada);
    expect(rows).toMatchObject([
      { params: { status: 'activated' } },
      { params: { status: 'paused' } },
    ]);
    for (const row of rows) {
      expect(row).toMatchObject({
        kind: 'agent-status',
        to_user: null,
        actor_id: ada,
        agent_id: agentId,
        to_roles: ['Admin', 'Editor', 'AgentManager'],
      });
    }
    expect((await happened([AgentDeleted(agent)])).at(-2)).toMatchObject({ actor_id: null });
  });
});

describe('a mailbox that fails', () => {
  it('is reported to Admins and to the member who connected it, as is an automatic pause', async () => {
    const own = { mailboxId: newId(), organizationId };
    const failed = MailboxFailed({ ...own, code: 'unreachable', isStopped: false });
    await happened([
      MailboxConnected({
        ...own,
        agentId,
        address: 'sealed' as Ciphertext,
        provider: 'imap',
        credentialsId: newId(),
        canReply: false,
        pollInterval: 60,
        autoReply: false,
        replyTemplate: '',
        markAsRead: false,
        connectedBy: ada,
      }),
    ]);
    const rows = await happened([
      failed,
      MailboxPaused({ ...own, pausedBy: null, reason: 'too-much-mail' }),
      MailboxPaused({ ...own, pausedBy: bob, reason: 'by-person' }),
      MailboxDisconnected({ ...own, disconnectedBy: bob }),
    ]);
    expect(rows.map(({ params }) => params)).toEqual([
      { status: 'failed', code: 'unreachable' },
      { status: 'paused', reason: 'too-much-mail' },
    ]);
    for (const row of rows) {
      expect(row).toMatchObject({ to_user: ada, to_roles: ['Admin'], agent_id: agentId });
    }
    expect(await worksLeft()).toEqual([]);
  });
});

describe('a webhook that was turned off', () => {
  it('is reported to Admins, unless one of them did it', async () => {
    const own = { webhookId: newId(), organizationId };
    const rows = await happened([
      WebhookDisabled({ ...own, reason: 'by-person' }),
      WebhookDisabled({ ...own, reason: 'failing' }),
    ]);
    expect(rows).toMatchObject([{ params: { reason: 'failing' }, to_roles: ['Admin'] }]);
  });
});

describe('payments and invitations', () => {
  it('are reported to Admins', async () => {
    const own = { paymentId: newId(), organizationId };
    const rows = await happened([
      PaymentSucceeded({ ...own, transactionId: 't', cents: 4_900 }),
      PaymentFailed({ ...own, transactionId: null, code: 'card_declined' }),
      PaymentRefunded({ ...own, refundedCents: 4_900 }),
      PaymentDisputed({ ...own, disputeId: 'd', cents: 4_900 }),
      InvitationAccepted({ invitationId: newId(), organizationId, userId: bob }),
    ]);
    expect(rows.map(({ kind, severity }) => [kind, severity])).toEqual([
      ['invitation-accepted', 'info'],
      ['payment', 'critical'],
      ['payment', 'warning'],
      ['payment', 'info'],
      ['payment', 'info'],
    ]);
    for (const { to_roles, to_user } of rows)
      expect([to_roles, to_user]).toEqual([['Admin'], null]);
    expect(rows[0]).toMatchObject({ actor_id: bob, object_id: bob });
  });
});

describe("a member's read marks and preferences", () => {
  const tables = [
    'notifications',
    'notification_reads',
    'notification_reads_until',
    'notification_preferences',
  ];
  const state = () =>
    Promise.all(tables.map((table) => test.rows(table, organizationId, '1, 2, 3')));

  it('are personal, ignore foreign notifications, and return after a rebuild', async () => {
    const agent = { agentId, organizationId };
    const [notification] = await happened([AgentPaused(agent), AgentActivated(agent)]);
    const foreign = { ...agent, organizationId: newId() };
    const own = organizationId;
    organizationId = foreign.organizationId;
    const [theirs] = await happened([AgentPaused(foreign)]);
    organizationId = own;
    const ids = [notification?.notification_id ?? '', theirs?.notification_id ?? '', newId()];
    const person = { userId: ada, organizationId };
    const switches = { emailNotifications: false, creditBalanceAlerts: true };
    await happened([
      NotificationsRead({ ...person, ids, until: null }),
      NotificationsRead({ ...person, ids, until: AT }),
      NotificationPreferencesChanged({ ...person, ...switches, agentStatusUpdates: true }),
      NotificationPreferencesChanged({ ...person, ...switches, agentStatusUpdates: false }),
    ]);
    const before = await state();
    expect(before[1]).toMatchObject([
      { user_id: ada, notification_id: notification?.notification_id },
    ]);
    expect(before[2]).toMatchObject([{ user_id: ada, until: new Date(AT) }]);
    expect(before[3]).toMatchObject([
      { email_notifications: false, agent_status_updates: false, credit_balance_alerts: true },
    ]);
    await test.admin.query('delete from read_model.checkpoints');
    await projected();
    expect(await state()).toEqual(before);
  });
});
