import { readModels } from '@tallyhand/read-models/read-models';
import type { ServiceRole } from '@tallyhand/service-kit/postgres/pool';

/** The tables of the read models. */
export const tables = readModels.flatMap((model) => Object.keys(model.tables));

const readers = tables.map((table) => `read_model.${table} select`);
const writes = ['delete', 'insert', 'select', 'update'];
const writable = (table: string) => writes.map((right) => `${table} ${right}`);
const kept = [
  ...['event_store', 'webhooks', 'webhook_deliveries'],
  ...[
    'access',
    'api_keys',
    'api_key_uses',
    'blobs',
    'idempotency',
    'invitation_links',
    'ledger_verifications',
  ],
  ...['open_reservations', 'passage_vectors', 'password_hashes', 'pending_payments'],
  ...['person_keys'],
  ...['reaction_checkpoints', 'sign_in_failures', 'sign_ins', 'snapshots', 'test_payments'],
  ...['test_webhooks', 'tool_credentials', 'chat_limits', 'audit_checkpoints'],
  ...['audit_exports', 'audit_export_chunks', 'unsigned_logs', 'images', 'open_sessions'],
  ...['runners', 'session_browsers', 'session_steps', 'outgoing_mail'],
  ...['notice_looks', 'notice_mails'],
  ...['mailboxes', 'mailbox_credentials', 'mailbox_mails'],
  ...['account_tokens', 'held_addresses', 'pending_erasures', 'recovery_codes', 'second_factors'],
];

/** What the projector notes of its own work. */
const operated = [
  ...['checkpoints', 'checks', 'operator_requests', 'parked_streams', 'projection_lags'],
  ...['projector_heartbeat', 'rebuilds', 'skipped_events'],
];

/** Every right on a table by name; the queue's tables belong to the queue and to command alone. */
export const tableRights: Record<ServiceRole, readonly string[]> = {
  query: [
    ...readers,
    ...['audit_export_chunks', 'audit_exports', 'images', 'ledger_verifications']
      .concat(
        'organization_api_keys',
        'organization_deliveries',
        'organization_webhooks',
        'organization_last_seen',
        'organization_mail',
        'organization_mailboxes',
      )
      .map((table) => `operational.${table} select`),
  ],
  command: [
    ...readers,
    ...kept.flatMap((table) => writable(`operational.${table}`)),
    'operational.waiting_sessions select',
  ],
  projector: [
    ...[...operated, ...tables].flatMap((table) => writable(`read_model.${table}`)),
    ...writable('read_model_next.checks'),
    'operational.blobs select',
    'operational.event_store select',
    'operational.person_keys select',
  ],
};
/** Every function that a role may call, by its name. */
export const routineRights: Record<ServiceRole, readonly string[]> = {
  query: [
    ...['operational.authenticate', 'operational.caller_of'],
    ...['webhook', 'webhook_deliveries', 'webhooks'],
    'operational.job_queues',
    'operational.product_figures',
    'operational.sessions_before',
    ...['operational.second_factor_of', 'operational.sign_ins_of'],
    ...['check_differences', 'projection_states', 'projector_state'].map((n) => `read_model.${n}`),
    'read_model.read_position',
    ...[
      'api_keys',
      'agent',
      'agents',
      'article',
      'articles',
      'assignments',
      'billing_access',
      'current_user',
    ],
    ...[
      'conversation',
      'conversations',
      'deletions',
      'history',
      'playbook',
      'playbooks',
      'tool',
      'tools',
    ],
    ...['invitation_by_id', 'invitation_link', 'invitations', 'ledger_after', 'ledger_entries'],
    'ledger_entries_oldest',
    ...['all_mailboxes', 'mailbox', 'mailbox_mails', 'mailboxes'],
    ...['notification_preferences', 'unread_notifications'],
    ...['members', 'notifications', 'organization', 'payment_for_receipt', 'payments'],
    ...['payments_oldest', 'spend_limits', 'audit_entries', 'recorded_events'],
    ...['audit_entries_oldest', 'tasks_oldest'],
    ...['read_model.find_audit_entries', 'read_model.find_audit_entries_oldest'],
    ...['read_model.audit_events_after', 'read_model.kept_text'],
    ...['agent', 'agents', 'article', 'articles', 'playbook', 'playbooks', 'tool', 'tools'].map(
      (kind) => `${kind}_as_of`,
    ),
    ...['organization_as_of', 'organization_stats', 'outbox', 'place'],
    ...['audit_access', 'audit_export', 'audit_export_chunk', 'audit_exports'],
    ...['image', 'session', 'session_steps', 'sessions', 'sign_in_history', 'sign_ins'],
    'read_model.read_second_factor',
    ...['find_hits', 'search_passages'].map((name) => `read_model.${name}`),
    'search',
    ...[
      'task',
      'task_stats',
      'tasks',
      'whole_tasks',
      'tickets',
      'trial_balance',
      'trial_balance_as_of',
      'usage_by_agent',
      'usage_by_day',
    ],
    ...['usage_by_member', 'usage_by_type', 'verification'],
  ].map((name) => (name.includes('.') ? name : `read_model.read_${name}`)),
  command: [
    ...['operational.authenticate', 'operational.caller_of'],
    'operational.forget_expired_exports',
    ...['operational.open_session', 'operational.sessions_before'],
    ...['read_model.find_passages', 'read_model.sent_events_after', 'read_model.read_position'],
  ],
  projector: ['drop', 'index', 'make', 'switch_to'].map((done) => `read_model.${done}_next`),
};
