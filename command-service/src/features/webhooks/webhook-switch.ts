import type { WebhookEndpoint } from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { isRefusal } from '@tallyhand/contracts/kernel/refusal';
import type { Kit } from '../../kit/app.ts';
import type { CommandContext } from '../../kit/context.ts';
import { type WebhookCommand, webhookStream } from './webhook.decider.ts';

export type Own = { readonly organizationId: string; readonly id: string };

export type WebhookSwitch = ReturnType<typeof webhookSwitch>;

/** One that was under way when its webhook was disabled may wait again. */
const END_WAITING = `update operational.webhook_deliveries d
  set state = 'failed', ended_at = now() from`;

/** Tells the streams of webhooks what happens to them, and turns them off and on. */
export function webhookSwitch({ pool, streams: store }: Pick<Kit, 'pool' | 'streams'>) {
  const streams = store.of(webhookStream);

  /** What a stream refuses is refused; what it has told already is told once. */
  async function tell(context: CommandContext, id: string, command: WebhookCommand) {
    const answer = await streams.send(id, command, context);
    return isRefusal(answer) ? answer : null;
  }

  /** What waits is sent no more; a person may send it again. */
  async function disable(
    context: CommandContext,
    { organizationId, id }: Own,
    reason: NonNullable<WebhookEndpoint['disabledReason']>,
  ): Promise<void> {
    const refused = await tell(context, id, {
      type: 'DisableWebhook',
      data: { organizationId, reason },
    });
    if (refused) return;
    await pool.query(
      `with disabled as (
         update operational.webhooks set disabled_reason = $2, disabled_at = now()
         where webhook_id = $1 and disabled_reason is null returning webhook_id)
       ${END_WAITING} disabled where d.webhook_id = disabled.webhook_id and d.state = 'waiting'`,
      [id, reason],
    );
  }

  /** Events in between are not delivered: deliveries resume after the event that records it. */
  async function enable(context: CommandContext, { organizationId, id }: Own) {
    await tell(context, id, { type: 'EnableWebhook', data: { organizationId } });
    await pool.query(
      `with enabled as (
         update operational.webhooks set disabled_reason = null, disabled_at = null,
           failing_since = null, given_up = 0, sequence = null
         where webhook_id = $1 and disabled_reason is not null returning webhook_id)
       ${END_WAITING} enabled where d.webhook_id = enabled.webhook_id and d.state = 'waiting'`,
      [id],
    );
  }

  return { tell, disable, enable };
}
