import {
  NotificationPreferencesChanged,
  NotificationsRead,
} from '@tallyhand/contracts/features/notifications/notifications.events';
import type { EventOf } from '@tallyhand/contracts/kernel/messages';
import { notificationsModel } from '@tallyhand/read-models/features/notifications/notifications.tables';
import { sql } from 'kysely';
import { batchProjection, type Happened, type Tx } from '../../kernel/projection.ts';
import { addRows, newRow, writeRows } from '../../kernel/rows.ts';
import { NotificationState } from './notification-context.ts';
import {
  isOfLedger,
  type NotificationCause,
  notificationEvents,
  notificationRow,
} from './notification-rules.ts';

const personEvents = { NotificationsRead, NotificationPreferencesChanged };
type PersonEvent = EventOf<typeof NotificationsRead | typeof NotificationPreferencesChanged>;

/** Notifications, which of them are read, and preferences. */
export const notificationsProjection = batchProjection({
  model: notificationsModel,
  kinds: { ...notificationEvents, ...personEvents },
  async apply(tx, happened) {
    const causes = happened.filter(isCause);
    const touched = new Set<string>();
    const state = await NotificationState.read(
      tx,
      [
        ...new Set(
          causes
            .map(({ event }) => event)
            .filter(isOfLedger)
            .map(ofOrganization),
        ),
      ],
      causes.flatMap(({ event }) => workOf(event)),
    );
    const notifications = causes.flatMap((cause) => notificationRow(cause, state) ?? []);
    await Promise.all([state.save(tx), addRows(tx, 'notifications', notifications)]);
    for (const { organization_id } of notifications) touched.add(organization_id);
    for (const { event, stored } of happened) {
      if (!isPersonal(event)) continue;
      await applyPersonal(tx, event, stored.envelope.recordedAt);
      touched.add(event.data.organizationId);
    }
    return touched;
  },
});

const isPersonal = (event: NotificationCause | PersonEvent): event is PersonEvent =>
  event.type in personEvents;
const isCause = (
  each: Happened<NotificationCause | PersonEvent>,
): each is Happened<NotificationCause> => !isPersonal(each.event);

const ofOrganization = ({ data }: NotificationCause) => data.organizationId;

/** The existing work that an event belongs to. */
function workOf({ type, data }: NotificationCause): string[] {
  if (BEGINNINGS.has(type)) return [];
  if ('taskId' in data) return [data.taskId];
  if ('sessionId' in data) return [data.sessionId];
  return 'mailboxId' in data ? [data.mailboxId] : [];
}

const BEGINNINGS = new Set<string>(['TaskRequested', 'SessionRequested', 'MailboxConnected']);

async function applyPersonal(tx: Tx, { type, data }: PersonEvent, at: string) {
  const { userId, organizationId } = data;
  if (type === 'NotificationPreferencesChanged') {
    return writeRows(tx, 'notification_preferences', [
      newRow('notification_preferences', data, at, {}),
    ]);
  }
  // Unknown ids, and ids of other organizations, are ignored.
  await sql`
    insert into read_model.notification_reads
    select notification_id, ${userId}, organization_id, ${at}::timestamptz
    from read_model.notifications
    where notification_id = any(${data.ids}::uuid[]) and organization_id = ${organizationId}
    on conflict do nothing`.execute(tx);
  if (data.until === null) return;
  await sql`
    insert into read_model.notification_reads_until
    values (${userId}, ${organizationId}, ${data.until}, ${at})
    on conflict do nothing`.execute(tx);
}
