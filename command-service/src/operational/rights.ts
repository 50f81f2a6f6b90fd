import { roleName, rolePassword, type ServiceRole } from '@tallyhand/service-kit/postgres/pool';
import pg from 'pg';

const COMMAND_TABLES = [
  'person_keys',
  'password_hashes',
  'access',
  'sign_ins',
  'sign_in_failures',
  'invitation_links',
  'idempotency',
  'snapshots',
  'reaction_checkpoints',
  'open_reservations',
  'ledger_verifications',
  'pending_payments',
  'test_payments',
  'test_webhooks',
  'tool_credentials',
  'tool_sign_ins',
  'chat_limits',
  'passage_vectors',
  'embeddings',
  'blobs',
  'audit_exports',
  'audit_export_chunks',
  'audit_trees',
  'audit_differences',
  'audit_check',
  'log_checks',
  'log_check_differences',
  'checkpoint_schedules',
  'log_streams',
  'open_sessions',
  'session_browsers',
  'runners',
  'session_steps',
  'images',
  'attachments',
  'outgoing_mail',
  'mailboxes',
  'mailbox_credentials',
  'connection_keys',
  'model_images',
  'mailbox_mails',
  'notification_checks',
  'notification_mails',
  'account_tokens',
  'held_addresses',
  'second_factors',
  'recovery_codes',
  'api_keys',
  'api_key_uses',
  'pending_erasures',
  'retention',
  'waiting_erasures',
  'webhooks',
  'webhook_deliveries',
  'event_store',
];
const PROJECTOR_TABLES = ['person_keys', 'blobs', 'event_store'];

/** A call that takes longer has lost its caller. */
const CALL_SETTINGS = [`statement_timeout = '30s'`];
const PROJECTOR_SETTINGS = [
  // Its rows and its checkpoint are lost together, if at all, and then rebuilt.
  'synchronous_commit = off',
  // Its statements find rows by key, whatever the values are, and also once an empty table has grown.
  'plan_cache_mode = force_generic_plan',
  'enable_seqscan = off',
  'jit = off',
];

/** Login roles of the services, none of them owner of anything. */
export async function makeRoles(client: pg.Client, databaseUrl: string, masterKey: string) {
  const roles = (['command', 'projector', 'query'] as const).map((role) => ({
    role,
    name: roleName(databaseUrl, role),
  }));
  const { rows } = await client.query<{ name: string }>(
    `select rolname as name from pg_roles where rolname = any($1)`,
    [roles.map(({ name }) => name)],
  );
  // Repeated hashing protects passwords that can be guessed. These can't, and each connection pays.
  await client.query(
    `select set_config(name, '1', false) from pg_settings where name = 'scram_iterations'`,
  );
  const statements = roles.map(({ role, name }) => {
    const verb = rows.some((row) => row.name === name) ? 'alter' : 'create';
    const password = pg.escapeLiteral(rolePassword(masterKey, role));
    const settings = role === 'projector' ? PROJECTOR_SETTINGS : CALL_SETTINGS;
    return `${verb} role ${pg.escapeIdentifier(name)} login nosuperuser nocreatedb nocreaterole
       nobypassrls password ${password};
      ${settings.map((setting) => `alter role ${pg.escapeIdentifier(name)} set ${setting};`).join('\n')}`;
  });
  await client.query(statements.join('\n'));
}

/** Rights by name: each role reaches only what it needs. */
export async function grantOperational(client: pg.Client, databaseUrl: string) {
  const role = (name: ServiceRole) => pg.escapeIdentifier(roleName(databaseUrl, name));
  const tables = (names: readonly string[]) => names.map((t) => `operational.${t}`).join(', ');
  await client.query(`
    revoke all on schema operational, public from public;
    revoke all on all functions in schema operational from public;
    grant usage on schema operational to ${role('command')}, ${role('projector')}, ${role('query')};
    grant select, insert, update, delete on ${tables(COMMAND_TABLES)} to ${role('command')};
    revoke update, delete on operational.audit_checkpoints from ${role('command')};
    grant select, insert on operational.audit_checkpoints, operational.audit_keys,
      operational.audit_anchors to ${role('command')};
    grant select on ${tables(PROJECTOR_TABLES)} to ${role('projector')};
    grant select on operational.waiting_sessions to ${role('command')};
    grant select on operational.ledger_verifications, operational.audit_exports,
      operational.audit_export_chunks, operational.audit_keys, operational.audit_trees,
      operational.audit_anchors, operational.audit_anchored, operational.audit_differences,
      operational.audit_check, operational.backups, operational.log_checks,
      operational.log_check_differences, operational.images, operational.attachments,
      operational.organization_mail, operational.organization_mailboxes,
      operational.organization_last_seen, operational.organization_api_keys,
      operational.organization_webhooks, operational.organization_deliveries,
      operational.organization_embedding, operational.organization_vectors,
      operational.organization_log_stream to ${role('query')};
    grant execute on function operational.authenticate(uuid), operational.caller_of(uuid),
      operational.access_ended(uuid)
      to ${role('command')}, ${role('query')};
    grant execute on function operational.job_queues(), operational.product_figures(),
      operational.audit_figures(), operational.sign_ins_of(uuid),
      operational.second_factor_of(uuid) to ${role('query')};
    grant execute on function operational.forget_expired_exports(),
      operational.keep_anchored(jsonb),
      operational.forget_unsent_attachments(), operational.index_vectors(int),
      operational.open_session(uuid, uuid, timestamptz, int) to ${role('command')};
    grant execute on function operational.sessions_before(uuid)
      to ${role('command')}, ${role('query')};
  `);
}
