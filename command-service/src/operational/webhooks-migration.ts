import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

const OWN = `organization_id =
  nullif(current_setting('tallyhand.organization_id', true), '')::uuid`;

/** Webhooks, and their deliveries. Payloads are read at each attempt. */
export const webhooksMigration: Migration = {
  id: '0015-webhooks',
  sql: `
    create table operational.webhooks (
      webhook_id uuid primary key,
      organization_id uuid not null,
      url text not null,
      events text[] not null,
      description text not null,
      created_at timestamptz not null,
      disabled_reason text,
      disabled_at timestamptz,
      secret bytea not null,
      -- Of before a rotation, and until when it is still signed with.
      old_secret bytea,
      old_secret_until timestamptz,
      -- Up to which entry of the organization's audit log deliveries were made; null before that
      -- of its own creation, or of its being enabled, was found.
      sequence bigint,
      failing_since timestamptz,
      -- Deliveries given up in a row.
      given_up int not null default 0);
    create index on operational.webhooks (organization_id);
    create table operational.webhook_deliveries (
      delivery_id uuid primary key,
      webhook_id uuid not null references operational.webhooks on delete cascade,
      organization_id uuid not null,
      type text not null,
      sequence bigint,
      state text not null default 'waiting',
      -- All of them, and those since it was sent last by a person's wish or for the first time.
      attempts int not null default 0,
      tries int not null default 0,
      log jsonb not null default '[]',
      answer text,
      created_at timestamptz not null default clock_timestamp(),
      next_at timestamptz not null default now(),
      ended_at timestamptz);
    create index on operational.webhook_deliveries (webhook_id, next_at, created_at)
      where state = 'waiting';
    create index on operational.webhook_deliveries (webhook_id, created_at desc, delivery_id desc);
    create index on operational.webhook_deliveries (webhook_id) where state = 'sending';
    create index on operational.webhook_deliveries (created_at);
    create view operational.organization_webhooks with (security_barrier) as
      select webhook_id, organization_id, url, events, description, created_at, disabled_reason,
        disabled_at, failing_since
      from operational.webhooks where ${OWN};
    create view operational.organization_deliveries with (security_barrier) as
      select delivery_id, webhook_id, organization_id, type, sequence, state, attempts, log, answer,
        created_at, next_at, ended_at
      from operational.webhook_deliveries where ${OWN};
  `,
};
