import type { Migration } from '@tallyhand/service-kit/postgres/migrations';

/** Mailboxes pause with their agents, and an agent receives the sender of a mail. */
export const restingMailboxesMigration: Migration = {
  id: '0019-resting-mailboxes',
  sql: `
    -- True while the agent is paused or deleted.
    alter table operational.mailboxes add column agent_rests boolean not null default false;
    -- Sealed: who sent it, about what, and when, until its task is over.
    alter table operational.mailbox_mails add column about bytea;
  `,
};
