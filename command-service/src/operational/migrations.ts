import type { Migration } from '@tallyhand/service-kit/postgres/migrations';
import { accountSafetyMigration, erasuresMigration } from './account-safety-migration.ts';
import { attachmentsMigration } from './attachments-migration.ts';
import { auditorsMigration } from './auditors-migration.ts';
import { checkpointSchedulesMigration } from './checkpoint-schedules-migration.ts';
import { evidenceMigration } from './evidence-migration.ts';
import { figuresMigration } from './figures-migration.ts';
import { logStreamsMigration } from './log-streams-migration.ts';
import { logTreesMigration } from './log-trees-migration.ts';
import { mailboxesMigration } from './mailboxes-migration.ts';
import { meaningMigration, vectorBytesMigration } from './meaning-migration.ts';
import { modelImagesMigration } from './model-images-migration.ts';
import { retentionMigration } from './retention-migration.ts';
import { sessionsMigration } from './sessions-migration.ts';
import {
  apiKeysMigration,
  auditKeysMigration,
  boundSecretsMigration,
  callersMigration,
  checkpointReadsMigration,
  connectionKeysMigration,
  eventStoreMigration,
  keysOfMembersMigration,
  lastSeenMigration,
  listOrdersMigration,
  mailMigration,
  membersOfCallersMigration,
  noticesMigration,
  notificationNamesMigration,
  privateMailMigration,
  restingMailboxesMigration,
  webhookBeginningsMigration,
  webhooksMigration,
} from './small-migrations.ts';
import { toolSignInsMigration } from './tool-sign-ins-migration.ts';

export const SCHEMA = 'operational';

/** Data that must be stored besides events and read models. Never changed, only added to. */
export const operationalMigrations: readonly Migration[] = [
  {
    id: '0001-first-tables',
    sql: `
      create table operational.person_keys (
        person_id uuid primary key,
        organization_id uuid not null,
        sealed bytea not null,
        created_at timestamptz not null default now());
      create table operational.password_hashes (
        user_id uuid primary key,
        sealed bytea not null,
        updated_at timestamptz not null default now());
      create table operational.access (
        user_id uuid primary key,
        organization_id uuid not null,
        role text not null,
        is_active boolean not null default true);
      create table operational.sign_ins (
        sign_in_id uuid primary key,
        user_id uuid not null,
        organization_id uuid not null,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        ended_at timestamptz);
      create index on operational.sign_ins (user_id);
      create table operational.sign_in_failures (
        failure_id uuid primary key,
        account_key text not null,
        address_key text not null,
        failed_at timestamptz not null default now());
      create index on operational.sign_in_failures (account_key, address_key, failed_at);
      create table operational.invitation_links (
        organization_id uuid primary key,
        invitation_id uuid not null);
      create table operational.idempotency (
        organization_id uuid not null,
        user_id uuid not null,
        key text not null,
        request_hash text not null,
        status int,
        body bytea,
        position text,
        created_at timestamptz not null default now(),
        primary key (organization_id, user_id, key));
      create index on operational.idempotency (created_at);
      create table operational.snapshots (
        stream text primary key,
        version int not null,
        revision bigint not null,
        state jsonb not null,
        taken_at timestamptz not null default now());
      create table operational.reaction_checkpoints (
        name text primary key,
        position text not null);
      create table operational.open_reservations (
        reservation_id uuid primary key,
        organization_id uuid not null,
        work_kind text not null,
        work_id uuid not null,
        reserved_at timestamptz not null,
        expires_at timestamptz not null);
      create index on operational.open_reservations (reserved_at);
      create table operational.blobs (
        organization_id uuid not null,
        hash text not null,
        content bytea not null,
        created_at timestamptz not null default now(),
        primary key (organization_id, hash));
      create function operational.authenticate(p_sign_in uuid)
        returns table (sign_in_id uuid, user_id uuid, organization_id uuid, role text)
        language sql stable security definer set search_path = pg_catalog as $$
          select s.sign_in_id, s.user_id, s.organization_id, a.role
          from operational.sign_ins s join operational.access a on a.user_id = s.user_id
          where s.sign_in_id = p_sign_in and s.ended_at is null and s.expires_at > now()
            and a.is_active and a.organization_id = s.organization_id $$;
    `,
  },
  {
    id: '0002-ledgers',
    sql: `
      truncate operational.snapshots;
      alter table operational.snapshots add column head text not null;
      alter table operational.open_reservations add column looked_at timestamptz;
      create table operational.ledger_verifications (
        organization_id uuid primary key,
        state jsonb not null,
        updated_at timestamptz not null default now());
      alter table operational.ledger_verifications enable row level security;
      alter table operational.ledger_verifications force row level security;
      create policy tenant on operational.ledger_verifications using
        (organization_id = nullif(current_setting('tallyhand.organization_id', true), '')::uuid);
    `,
  },
  {
    id: '0003-payments',
    sql: `
      create table operational.pending_payments (
        payment_id uuid primary key,
        organization_id uuid not null,
        requested_at timestamptz not null,
        looked_at timestamptz,
        looks int not null default 0);
      create table operational.test_payments (
        payment_id uuid primary key,
        organization_id uuid not null,
        session_id text not null,
        transaction_id text not null unique,
        dispute_id text not null,
        cents int not null,
        currency text not null,
        status text not null,
        decline_code text,
        refunded_cents int not null default 0,
        dispute_status text,
        created_at timestamptz not null default now());
      create table operational.test_webhooks (
        event_id text primary key,
        body text not null,
        attempts int not null default 0,
        deliver_at timestamptz not null default now());
    `,
  },
  {
    id: '0004-tools',
    sql: `
      create table operational.tool_credentials (
        credentials_id uuid primary key,
        tool_id uuid not null,
        organization_id uuid not null,
        sealed bytea not null,
        created_at timestamptz not null default now());
      create index on operational.tool_credentials (tool_id);
    `,
  },
  {
    id: '0006-passage-vectors',
    sql: `
      create table operational.passage_vectors (
        organization_id uuid not null,
        model text not null,
        passage_hash text not null,
        vector bytea not null,
        made_at timestamptz not null default now(),
        primary key (organization_id, model, passage_hash));
      create index on operational.passage_vectors (organization_id, made_at);
      alter table operational.passage_vectors enable row level security;
      alter table operational.passage_vectors force row level security;
      create policy tenant on operational.passage_vectors using
        (organization_id = nullif(current_setting('tallyhand.organization_id', true), '')::uuid);
    `,
  },
  {
    id: '0006-chat-limits',
    sql: `
      create table operational.chat_limits (
        user_id uuid primary key,
        organization_id uuid not null,
        sent_at timestamptz[] not null,
        updated_at timestamptz not null default now());
      create index on operational.chat_limits (updated_at);
    `,
  },
  {
    id: '0008-job-queues',
    sql: `
      create function operational.job_queues()
        returns table (queue text, waiting bigint, active bigint, oldest_seconds double precision)
        language plpgsql stable security definer set search_path = pg_catalog as $$
        begin
          return query
            select q.name::text, count(*) filter (where j.state in ('created', 'retry')),
              count(*) filter (where j.state = 'active'),
              coalesce(extract(epoch from now() - min(j.start_after)
                filter (where j.state in ('created', 'retry') and j.start_after <= now())),
                0)::double precision
            from jobs.queue q
            left join jobs.job j on j.name = q.name and j.state in ('created', 'retry', 'active')
            group by q.name;
        end $$;
    `,
  },
  {
    id: '0009-audit-exports',
    sql: `
      create table operational.audit_exports (
        export_id uuid primary key,
        organization_id uuid not null,
        state jsonb not null,
        expires_at timestamptz not null);
      create index on operational.audit_exports (organization_id, export_id);
      create table operational.audit_export_chunks (
        organization_id uuid not null,
        export_id uuid not null
          references operational.audit_exports (export_id) on delete cascade,
        file text not null,
        start bigint not null,
        bytes bigint not null,
        content bytea not null,
        primary key (export_id, file, start));
      -- Squeezing every piece would take longer than the export.
      alter table operational.audit_export_chunks alter column content set storage external;
      create table operational.audit_checkpoints (
        organization_id uuid not null,
        size bigint not null,
        signed jsonb not null,
        frontier jsonb not null,
        made_at timestamptz not null default now(),
        primary key (organization_id, size));
      create table operational.unsigned_logs (
        organization_id uuid primary key,
        since timestamptz not null default now());
      alter table operational.audit_exports enable row level security;
      alter table operational.audit_exports force row level security;
      create policy tenant on operational.audit_exports using
        (organization_id = nullif(current_setting('tallyhand.organization_id', true), '')::uuid);
      create policy owner on operational.audit_exports to current_user using (true);
      create function operational.forget_expired_exports() returns void
        language sql security definer set search_path = pg_catalog as
        'delete from operational.audit_exports where expires_at < now()';
      alter table operational.audit_export_chunks enable row level security;
      alter table operational.audit_export_chunks force row level security;
      create policy tenant on operational.audit_export_chunks using
        (organization_id = nullif(current_setting('tallyhand.organization_id', true), '')::uuid);
      alter table operational.audit_checkpoints enable row level security;
      alter table operational.audit_checkpoints force row level security;
      create policy tenant on operational.audit_checkpoints using
        (organization_id = nullif(current_setting('tallyhand.organization_id', true), '')::uuid);
    `,
  },
  sessionsMigration,
  mailMigration,
  accountSafetyMigration,
  erasuresMigration,
  lastSeenMigration,
  apiKeysMigration,
  mailboxesMigration,
  noticesMigration,
  webhooksMigration,
  keysOfMembersMigration,
  restingMailboxesMigration,
  privateMailMigration,
  eventStoreMigration,
  figuresMigration,
  callersMigration,
  boundSecretsMigration,
  listOrdersMigration,
  membersOfCallersMigration,
  notificationNamesMigration,
  connectionKeysMigration,
  meaningMigration,
  attachmentsMigration,
  checkpointReadsMigration,
  toolSignInsMigration,
  auditKeysMigration,
  logTreesMigration,
  modelImagesMigration,
  vectorBytesMigration,
  auditorsMigration,
  checkpointSchedulesMigration,
  retentionMigration,
  evidenceMigration,
  logStreamsMigration,
  webhookBeginningsMigration,
];
