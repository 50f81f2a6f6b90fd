import {
  AgentActivated,
  AgentDeleted,
  AgentPaused,
  AgentRestored,
} from '@tallyhand/contracts/features/agents/agents.events';
import {
  AdjustmentPosted,
  CreditsCharged,
  PaymentReversed,
} from '@tallyhand/contracts/features/credits/credits.events';
import {
  PaymentDisputed,
  PaymentFailed,
  PaymentRefunded,
  PaymentSucceeded,
} from '@tallyhand/contracts/features/credits/payments.events';
import {
  MailboxFailed,
  MailboxPaused,
} from '@tallyhand/contracts/features/mailboxes/mailboxes.events';
import {
  SessionCompleted,
  SessionFailed,
  SessionTerminated,
} from '@tallyhand/contracts/features/sessions/sessions.events';
import { TaskFailed } from '@tallyhand/contracts/features/tasks/tasks.events';
import { InvitationAccepted } from '@tallyhand/contracts/features/team/team.events';
import { ToolCredentialsDropped } from '@tallyhand/contracts/features/tools/tools.events';
import { WebhookDisabled } from '@tallyhand/contracts/features/webhooks/webhooks.events';
import { formatPosition } from '@tallyhand/service-kit/event-store/position';
import type { Kit } from '../../kit/app.ts';
import type { Reaction } from '../../kit/reactions.ts';

/** What may lead to a notice. */
const CAUSES = new Set<string>(
  [
    CreditsCharged,
    PaymentReversed,
    AdjustmentPosted,
    TaskFailed,
    InvitationAccepted,
    MailboxFailed,
    MailboxPaused,
    WebhookDisabled,
    ToolCredentialsDropped,
    SessionCompleted,
    SessionFailed,
    SessionTerminated,
    AgentPaused,
    AgentActivated,
    AgentDeleted,
    AgentRestored,
    PaymentSucceeded,
    PaymentFailed,
    PaymentRefunded,
    PaymentDisputed,
  ].map(({ type }) => type),
);

/** Keeps in mind whose notices have to be looked at for mail: one row, whatever has happened. */
export const noteNotices = ({ pool }: Pick<Kit, 'pool'>): Reaction => ({
  name: 'note-notices',
  async handle(events) {
    const positions = new Map<string, string>();
    for (const { type, envelope, position } of events) {
      const { organizationId } = envelope;
      if (organizationId && CAUSES.has(type)) {
        positions.set(organizationId, formatPosition(position));
      }
    }
    if (positions.size === 0) return;
    await pool.query(
      `insert into operational.notice_looks (organization_id, position)
       select * from unnest($1::uuid[], $2::text[])
       on conflict (organization_id) do update set position = excluded.position, look_at = now()`,
      [[...positions.keys()], [...positions.values()]],
    );
  },
});
