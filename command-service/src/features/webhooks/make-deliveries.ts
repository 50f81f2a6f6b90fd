import { setTimeout as rest } from 'node:timers/promises';
import { ANY_EVENT } from '@tallyhand/contracts/features/webhooks/webhooks.endpoints';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { errorFields } from '@tallyhand/service-kit/log';
import { inTenant } from '@tallyhand/service-kit/postgres/pool';
import { type Change, followReadModels } from '@tallyhand/service-kit/postgres/read-position';
import type pg from 'pg';
import type { Kit } from '../../kit/app.ts';
import { DELIVERIES_CHANNEL } from './webhooks.ts';

const PAGE_LENGTH = 1_000;
/** Deliveries are made from the rows of this model. */
const AUDIT_LOG = 'audit-log';
/** Changes within this time are handled together. */
const REST_MS = 100;
/** The delay if a notification was lost. */
const SWEEP_MS = 30_000;

type Active = { readonly webhook_id: string; readonly organization_id: string };
type Row = {
  readonly sequence: string | null;
  readonly events: string[];
  readonly beginnings: number;
};
type Entry = { readonly sequence: string; readonly event_id: string; readonly type: string };

/**
 * Makes deliveries of new entries of the audit logs. Each webhook follows the sequence of its
 * organization, so no event is missed. The id of a delivery is derived from webhook and event, so
 * none is made twice.
 */
export async function makeDeliveries(kit: Kit, url: string): Promise<AsyncDisposable> {
  const { pool, log } = kit;
  const changed = new Set<string>();
  /** Webhooks with another page, which follows after a page of each other webhook. */
  let unfinished: Active[] = [];
  let isAllWanted = true;
  let isClosed = false;
  let working: Promise<void> | null = null;

  async function work() {
    while (!isClosed && (isAllWanted || changed.size > 0 || unfinished.length > 0)) {
      const organizations = isAllWanted ? null : [...changed];
      isAllWanted = false;
      changed.clear();
      const fresh = organizations?.length === 0 ? [] : await activeWebhooks(pool, organizations);
      const due = new Map([...fresh, ...unfinished].map((each) => [each.webhook_id, each]));
      unfinished = [];
      for (const webhook of due.values()) {
        if (isClosed) return;
        if (await makeNextPage(webhook)) unfinished.push(webhook);
      }
      if (unfinished.length === 0) await rest(REST_MS);
    }
  }

  async function makeNextPage(webhook: Active): Promise<boolean> {
    try {
      return await deliverNextPage(pool, webhook);
    } catch (error) {
      const { webhook_id: webhookId } = webhook;
      const fields = { webhookId, ...errorFields(error) };
      log.error('the deliveries of a webhook were not created', fields);
      return false;
    }
  }

  function begin() {
    working ??= work()
      .catch((error) => log.warn('due webhooks were not fetched', errorFields(error)))
      .finally(() => {
        working = null;
        if (!isClosed && changed.size > 0) begin();
      });
  }

  function onChange(changes: readonly Change[] | null) {
    if (!changes) isAllWanted = true;
    for (const { organizationId, features } of changes ?? []) {
      if (features.includes(AUDIT_LOG)) changed.add(organizationId);
    }
    begin();
  }

  const following = await followReadModels({ url, log, onChange });
  const timer = setInterval(() => onChange(null), SWEEP_MS);
  return {
    async [Symbol.asyncDispose]() {
      isClosed = true;
      clearInterval(timer);
      await following[Symbol.asyncDispose]();
      await working;
    },
  };
}

async function activeWebhooks(pool: pg.Pool, organizations: readonly string[] | null) {
  const { rows } = await pool.query<Active>(
    `select webhook_id, organization_id from operational.webhooks
     where disabled_reason is null and ($1::uuid[] is null or organization_id = any($1))
     order by webhook_id`,
    [organizations],
  );
  return rows;
}

/** Makes one page and stores its end in one transaction. Returns whether there may be another. */
function deliverNextPage(pool: pg.Pool, { webhook_id, organization_id }: Active): Promise<boolean> {
  return inTenant(pool, organization_id, async (client) => {
    const { rows } = await client.query<Row>(
      `select sequence, events, beginnings from operational.webhooks
       where webhook_id = $1 and disabled_reason is null for update`,
      [webhook_id],
    );
    const webhook = rows[0];
    if (!webhook) return false;
    const after =
      webhook.sequence ??
      (await beginning(client, organization_id, webhook_id, webhook.beginnings));
    if (after === null) return false;
    const entries = await entriesAfter(client, organization_id, after);
    const last = entries.at(-1)?.sequence ?? after;
    if (last === webhook.sequence) return false;
    const { events } = webhook;
    const chosen = entries.filter(({ type }) => events[0] === ANY_EVENT || events.includes(type));
    await insert(client, { webhook_id, organization_id }, chosen);
    await client.query('update operational.webhooks set sequence = $2 where webhook_id = $1', [
      webhook_id,
      last,
    ]);
    return entries.length === PAGE_LENGTH;
  });
}

/**
 * A webhook begins after its creation, or after it was last enabled. Null while the log does not
 * have the entry of that: an earlier one would bring what happened while it was disabled.
 */
async function beginning(
  client: pg.PoolClient,
  organizationId: string,
  webhookId: string,
  beginnings: number,
) {
  const { rows } = await client.query<{ sequence: string }>(
    `select max(sequence) as sequence from read_model.audit_entries
     where organization_id = $1 and object_id = $2
       and type in ('WebhookCreated', 'WebhookEnabled')
     having count(*) >= $3::int`,
    [organizationId, webhookId, beginnings],
  );
  return rows[0]?.sequence ?? null;
}

async function entriesAfter(client: pg.PoolClient, organizationId: string, sequence: string) {
  const { rows } = await client.query<Entry>(
    `select sequence, event_id, type from read_model.audit_entries
     where organization_id = $1 and sequence > $2 order by sequence limit $3`,
    [organizationId, sequence, PAGE_LENGTH],
  );
  return rows;
}

async function insert(
  client: pg.PoolClient,
  { webhook_id, organization_id }: Active,
  entries: readonly Entry[],
) {
  if (entries.length === 0) return;
  await client.query(
    `insert into operational.webhook_deliveries
       (delivery_id, webhook_id, organization_id, type, sequence)
     select e.id, $1, $2, e.type, e.sequence
     from unnest($3::uuid[], $4::text[], $5::bigint[]) e (id, type, sequence)
     on conflict do nothing`,
    [
      webhook_id,
      organization_id,
      entries.map(({ event_id }) => derivedId(webhook_id, event_id)),
      entries.map(({ type }) => type),
      entries.map(({ sequence }) => sequence),
    ],
  );
  await client.query('select pg_notify($1, $2)', [DELIVERIES_CHANNEL, '']);
}
