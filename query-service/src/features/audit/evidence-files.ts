import type { AuditEntry } from '@tallyhand/contracts/features/audit/audit.endpoints';
import type { Role } from '@tallyhand/contracts/kernel/role';
import type { CsvColumns } from '../../kernel/csv.ts';

/** The files with entries of the log, and what belongs into each: kinds of objects, or event types. */
export const ENTRY_FILES = {
  'access-changes': [
    'OrganizationRegistered',
    'invitation',
    'MemberJoined',
    'MemberRoleChanged',
    'MemberDeactivated',
    'MemberReactivated',
    'OrganizationClosed',
    'PersonErased',
    'EmailChanged',
    'ProfileChanged',
    'apikey',
  ],
  'sign-ins': [
    'UserRegistered',
    'UserSignedIn',
    'UserSignedOut',
    'PasswordChanged',
    'SecondFactorEnabled',
    'SecondFactorDisabled',
    'CallRefused',
  ],
  administration: [
    'agent',
    'article',
    'playbook',
    'tool',
    'connection',
    'webhook',
    'MailboxConnected',
    'MailboxChanged',
    'MailboxPaused',
    'MailboxResumed',
    'MailboxDisconnected',
    'EmbeddingModelChosen',
    'ChatTokenBudgetSet',
    'SpendLimitSet',
    'CheckpointPublishingChanged',
    'LogStreamSet',
    'LogStreamEnded',
    'LogStreamFailing',
    'RetentionRuleChanged',
    'LegalHoldPlaced',
    'LegalHoldLifted',
    'AuditLogExported',
  ],
} as const;

/** What is in no file: work and its cost, mail of customers, and what other files sum up. */
export const LEFT_OUT = [
  'contact',
  'conversation',
  'ledger',
  'payment',
  'rating',
  'session',
  'task',
  'ticket',
  'ApiKeyUsed',
  'AuditorCalled',
  'CheckpointPublished',
  'EmailReleased',
  'EmailReserved',
  'MailboxFailed',
  'MailboxRecovered',
  'MailReceived',
  'NotificationPreferencesChanged',
  'NotificationsRead',
  'ReplyDelayed',
  'ReplyIntended',
  'ReplyRejected',
  'ReplyResendRequested',
  'ReplySent',
  'ReplyUncertain',
  'TextsEmbedded',
] as const;

export const ENTRY_COLUMNS: CsvColumns<AuditEntry> = {
  Entry: ({ sequence }) => sequence,
  Time: ({ at }) => at,
  Event: ({ type }) => type,
  'Actor kind': ({ actor }) => actor.kind,
  'Actor id': ({ actor }) => actor.id,
  'Actor name': ({ actor }) => actor.name,
  Address: ({ address }) => address,
  'Object kind': ({ object }) => object.kind,
  'Object id': ({ object }) => object.id,
  'Object name': ({ object }) => object.name,
  Count: ({ count }) => count,
  Changes: ({ changes }) => JSON.stringify(changes),
};

/** A member or an API key with access at the end of the period. */
export type Access = {
  readonly kind: 'member' | 'api-key';
  readonly id: string;
  readonly name: string | null;
  readonly email: string | null;
  /** Of a key, the lesser one of its own and its member's. */
  readonly role: Role;
  /** Of an Auditor, or of a key that expires. */
  readonly until: string | null;
  readonly since: string;
  readonly createdBy: string | null;
  /** Null for keys, which have none. */
  readonly hasSecondFactor: boolean | null;
  /** The last sign-in, or the hour in which a key was last used. */
  readonly lastUse: string | null;
  /** The newest entry that changed it. */
  readonly entry: number;
};

export const ACCESS_COLUMNS: CsvColumns<Access> = {
  Entry: ({ entry }) => entry,
  Kind: ({ kind }) => kind,
  Id: ({ id }) => id,
  Name: ({ name }) => name,
  Email: ({ email }) => email,
  Role: ({ role }) => role,
  Since: ({ since }) => since,
  Until: ({ until }) => until,
  'Created by': ({ createdBy }) => createdBy,
  'Second factor': ({ hasSecondFactor }) => hasSecondFactor,
  'Last use': ({ lastUse }) => lastUse,
};

/** What the installation has recorded, of all organizations together except for differences. */
export type EvidenceRecords = {
  readonly checks: readonly {
    readonly day: string;
    readonly checks: number;
    readonly differences: number;
  }[];
  readonly backups: readonly { readonly madeAt: string; readonly bytes: number }[];
};

export const CHECK_COLUMNS: CsvColumns<EvidenceRecords['checks'][number]> = {
  Day: ({ day }) => day,
  Comparisons: ({ checks }) => checks,
  'Log differed': ({ differences }) => differences,
};

export const BACKUP_COLUMNS: CsvColumns<EvidenceRecords['backups'][number]> = {
  'Made at': ({ madeAt }) => madeAt,
  Bytes: ({ bytes }) => bytes,
};

export type Evidence = {
  readonly organizationName: string;
  readonly from: string;
  readonly to: string;
};

export const readmeOf = ({ organizationName, from, to }: Evidence): string =>
  `Evidence pack for a SOC 2 audit
Organization: ${organizationName}
Period: ${from} to ${to} (UTC, both days included)

The column Entry is the number of the entry in the audit log of the organization. Look it up in a
verified export of the log: the rows of this pack are taken from it. A long file continues in
files with -2, -3 and so on in their names. Texts that look like a formula begin with an apostrophe.

Files, and the common criteria that each helps with
  access.csv          CC6.1 to CC6.3. Members and API keys with access at the end of the period, with
                      roles. Names and email addresses are those of today. They are empty for people
                      who were erased. An Auditor's last day and a key's expiry are in Until. Last use
                      is the last sign-in before the end of the period, or the beginning of the last
                      hour in which a key was used. A key has at most the role of its member, and is
                      not listed if it no longer works.
  access-changes.csv  CC6.2, CC6.3. Invitations, joins, role changes, removals, and API keys that were
                      created or revoked.
  sign-ins.csv        CC6.1, CC7.2. Sign-ins, sign-outs, password and second factor changes, and
                      refused calls, which include failed sign-ins of members. Count is the number of
                      refused calls of an entry.
  administration.csv  CC8.1. Changes of agents, articles, playbooks, tools, connections, webhooks,
                      mailboxes, budgets, limits, retention, legal holds, the publishing of
                      checkpoints and log streams, streams that fail, and exports of the log.
  checks.csv          CC7.2. For each day (UTC), how often the server compared the audit log with its
                      event store, and in how many of these comparisons the log differed.
  backups.csv         A1.2. Backups that were made with the product's own command.
  index.json          The period, the signed state of the audit log, the results of the last
                      comparison and of the last verification of the ledger, and the SHA-256 of each
                      file. index.json.sig signs it.

How to check it
  npm run audit:verify -- FILE --key KEYS --organization ID
  KEYS is the published key of the audit log, or its downloaded history.

What it does not show
  Tasks, sessions, chats, mail, payments and what Auditors read: an export of the log has them.
  Backups by other means, such as those of the database's provider, and tests of restoring: ask the
  operator for records of A1.2. Changes that the operator made to the server or its software.
  Whether what was entered is true. Access that is granted outside of this product.
`;
