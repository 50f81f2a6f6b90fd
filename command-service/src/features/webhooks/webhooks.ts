import {
  PING,
  WEBHOOKS_MAX,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookSecret,
} from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import {
  TooManyWebhooks,
  WebhookIsDisabled,
} from '@tallyhand/contracts/features/webhooks/webhooks.refusals';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import { isRefusal, type Refusal } from '@tallyhand/contracts/kernel/refusal';
import type { Kit } from '../../kit/app.ts';
import { type CommandContext, idFor } from '../../kit/context.ts';
import { newWebhookSecret } from '../../kit/webhook-signature.ts';
import { type WebhookCommand, webhookStream } from './webhook.decider.ts';
import {
  type DeliveryRow,
  deliveryOf,
  findWebhook,
  sealSecret,
  type WebhookRow,
  webhookOf,
} from './webhook-rows.ts';

/** How long deliveries are also signed with the previous secret. */
const OLD_SECRET_HOURS = 24;

/** Notifies the sender of new deliveries. */
export const DELIVERIES_CHANNEL = 'webhook_deliveries';

type Settings = Pick<WebhookEndpoint, 'url' | 'events' | 'description'>;
type Change = { readonly [K in keyof Settings | 'isActive']?: WebhookEndpoint[K] | undefined };
type Own = { readonly organizationId: string; readonly id: string };

/** Events contain only the origin of a URL, because paths and queries often hold a secret. */
const shown = ({ url, events, description }: Settings) => ({
  origin: new URL(url).origin,
  events,
  description,
});

/** A delivery that was being sent when its webhook was disabled may be waiting again. */
const END_WAITING = `update operational.webhook_deliveries d
  set state = 'failed', ended_at = now() from`;

/** The webhooks of organizations: settings and secrets in rows, their history in streams. */
export class Webhooks {
  readonly #kit: Pick<Kit, 'pool' | 'box'>;
  readonly #streams;

  constructor(kit: Pick<Kit, 'pool' | 'box' | 'streams'>) {
    this.#kit = kit;
    this.#streams = kit.streams.of(webhookStream);
  }

  async create(context: CommandContext, organizationId: string, settings: Settings) {
    const { pool, box } = this.#kit;
    const id = idFor(context, 'webhook');
    if (await this.#isFull(organizationId, id))
      return TooManyWebhooks({ webhooksMax: WEBHOOKS_MAX });
    const data = { webhookId: id, organizationId, ...shown(settings) };
    const refused = await this.#send(context, id, { type: 'CreateWebhook', data });
    if (refused) return refused;
    const secret = newWebhookSecret();
    const { url, events, description } = settings;
    // A repeat of an unanswered call creates another secret: the first was never returned.
    const { rows } = await pool.query<WebhookRow>(
      `insert into operational.webhooks
         (webhook_id, organization_id, url, events, description, created_at, secret)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (webhook_id) do update set secret = excluded.secret returning *`,
      [id, organizationId, url, events, description, context.now, sealSecret(box, id, secret)],
    );
    return { ...webhookOf(rows[0] as WebhookRow), secret };
  }

  async change(
    context: CommandContext,
    own: Own,
    change: Change,
  ): Promise<WebhookEndpoint | Refusal> {
    const { pool } = this.#kit;
    const found = await findWebhook(pool, own);
    if (isRefusal(found)) return found;
    const settings = {
      url: change.url ?? found.url,
      events: change.events ?? found.events,
      description: change.description ?? found.description,
    };
    const { organizationId, id } = own;
    const { url, events, description } = settings;
    const data = { organizationId, ...shown(settings), isMoved: url !== found.url };
    const refused = await this.#send(context, id, { type: 'ChangeWebhook', data });
    if (refused) return refused;
    await pool.query(
      `update operational.webhooks set url = $2, events = $3, description = $4
       where webhook_id = $1`,
      [id, url, events, description],
    );
    if (change.isActive === true) await this.#enable(context, own);
    if (change.isActive === false) await this.disable(context, own, 'by-person');
    const changed = await findWebhook(pool, own);
    return isRefusal(changed) ? changed : webhookOf(changed);
  }

  async remove(context: CommandContext, { organizationId, id }: Own): Promise<Refusal | null> {
    const command = { type: 'DeleteWebhook', data: { organizationId } } as const;
    const refused = await this.#send(context, id, command);
    if (refused) return refused;
    await this.#kit.pool.query('delete from operational.webhooks where webhook_id = $1', [id]);
    return null;
  }

  async rotateSecret(context: CommandContext, own: Own): Promise<WebhookSecret | Refusal> {
    const { pool, box } = this.#kit;
    const { organizationId, id } = own;
    const found = await findWebhook(pool, own);
    if (isRefusal(found)) return found;
    const secret = newWebhookSecret();
    await pool.query(
      `update operational.webhooks set old_secret = secret, secret = $2,
         old_secret_until = now() + make_interval(hours => $3)
       where webhook_id = $1`,
      [id, sealSecret(box, id, secret), OLD_SECRET_HOURS],
    );
    const command = { type: 'RotateSecret', data: { organizationId } } as const;
    return (await this.#send(context, id, command)) ?? { id, secret };
  }

  /** Waiting deliveries fail; a member may send them again. */
  async disable(
    context: CommandContext,
    { organizationId, id }: Own,
    reason: NonNullable<WebhookEndpoint['disabledReason']>,
  ): Promise<void> {
    const command = { type: 'DisableWebhook', data: { organizationId, reason } } as const;
    if (await this.#send(context, id, command)) return;
    await this.#kit.pool.query(
      `with disabled as (
         update operational.webhooks set disabled_reason = $2, disabled_at = now()
         where webhook_id = $1 and disabled_reason is null returning webhook_id)
       ${END_WAITING} disabled where d.webhook_id = disabled.webhook_id and d.state = 'waiting'`,
      [id, reason],
    );
  }

  /** Sends a test. */
  async ping(context: CommandContext, own: Own): Promise<WebhookDelivery | Refusal> {
    const { pool } = this.#kit;
    const found = await findWebhook(pool, own);
    if (isRefusal(found)) return found;
    if (found.disabled_reason !== null) return WebhookIsDisabled({});
    const { rows } = await pool.query<DeliveryRow>(
      `with made as (
         insert into operational.webhook_deliveries
           (delivery_id, webhook_id, organization_id, type)
         values ($1, $2, $3, $4)
         on conflict (delivery_id) do update set type = excluded.type returning *)
       select made.*, pg_notify($5, '') from made`,
      [idFor(context, 'ping'), own.id, own.organizationId, PING, DELIVERIES_CHANNEL],
    );
    return deliveryOf(rows[0] as DeliveryRow);
  }

  /** Sends a delivery again, unless it is being sent. `id` is the delivery's. */
  async redeliver({ organizationId, id }: Own): Promise<WebhookDelivery | Refusal> {
    const { pool } = this.#kit;
    const { rows } = await pool.query<DeliveryRow & { readonly is_disabled: boolean }>(
      `select d.*, w.disabled_reason is not null as is_disabled
       from operational.webhook_deliveries d join operational.webhooks w using (webhook_id)
       where d.delivery_id = $1 and d.organization_id = $2`,
      [id, organizationId],
    );
    const found = rows[0];
    if (!found) return NotFound({ what: 'delivery' });
    if (found.is_disabled) return WebhookIsDisabled({});
    const { rows: again } = await pool.query<DeliveryRow>(
      `with again as (
         update operational.webhook_deliveries
         set state = 'waiting', tries = 0, next_at = now(), ended_at = null
         where delivery_id = $1 and state <> 'sending' returning *)
       select again.*, pg_notify($2, '') from again`,
      [id, DELIVERIES_CHANNEL],
    );
    return deliveryOf(again[0] ?? found);
  }

  /** Events in between are not delivered: deliveries resume after the event that records it. */
  async #enable(context: CommandContext, { organizationId, id }: Own) {
    const command = { type: 'EnableWebhook', data: { organizationId } } as const;
    const answer = await this.#streams.send(id, command, context);
    if (isRefusal(answer)) return;
    await this.#kit.pool.query(
      `with enabled as (
         update operational.webhooks set disabled_reason = null, disabled_at = null,
           failing_since = null, given_up = 0, sequence = null, beginnings = $2
         where webhook_id = $1 and disabled_reason is not null returning webhook_id)
       ${END_WAITING} enabled where d.webhook_id = enabled.webhook_id and d.state = 'waiting'`,
      [id, answer.state?.beginnings],
    );
  }

  async #send(context: CommandContext, id: string, command: WebhookCommand) {
    const answer = await this.#streams.send(id, command, context);
    return isRefusal(answer) ? answer : null;
  }

  async #isFull(organizationId: string, id: string): Promise<boolean> {
    const { rows } = await this.#kit.pool.query<{ count: number }>(
      `select count(*)::int as count from operational.webhooks
       where organization_id = $1 and webhook_id <> $2`,
      [organizationId, id],
    );
    return (rows[0]?.count ?? 0) >= WEBHOOKS_MAX;
  }
}
