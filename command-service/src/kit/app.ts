import type { engineFor } from '@tallyhand/agent-runtime/choose-engine';
import type { Importer } from '@tallyhand/agent-runtime/import/importer';
import type { ScriptPool } from '@tallyhand/agent-runtime/sandbox/script-thread';
import type { ModelCredits } from '@tallyhand/contracts/features/models/model-credits.endpoints';
import type { Role } from '@tallyhand/contracts/kernel/role';
import type { AuditKeySettings } from '@tallyhand/service-kit/audit-keys/key-settings';
import type { AuditSigning } from '@tallyhand/service-kit/audit-keys/signing';
import type { PersonKeys } from '@tallyhand/service-kit/crypto/person-keys';
import type { SealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import type { Position } from '@tallyhand/service-kit/event-store/position';
import type { TrustProxy } from '@tallyhand/service-kit/http/app';
import type { CredentialWatch } from '@tallyhand/service-kit/http/credential-watch';
import type { KeyCalls } from '@tallyhand/service-kit/http/key-calls';
import type { LocalMcpServers } from '@tallyhand/service-kit/local-mcp-servers';
import type { Log } from '@tallyhand/service-kit/log';
import type { ReadPosition } from '@tallyhand/service-kit/postgres/read-position';
import type pg from 'pg';
import type { AuditorCall } from './auditor-call.ts';
import type { HeldBytes } from './held-bytes.ts';
import type { Idempotency } from './idempotency.ts';
import type { LastSeen } from './last-seen.ts';
import type { Mailer } from './mail/mailer.ts';
import type { MailSettings } from './mail/smtp.ts';
import type { SharedQueues } from './queues.ts';
import type { RefusedCall } from './refused-call.ts';
import type { StreamStore } from './streams.ts';
import type { Vault } from './vault.ts';

/** The caller: a member or an API key, checked for this request. */
export type Caller = {
  readonly kind: 'member' | 'api-key';
  /** The member's sign-in, or the digest of the key. */
  readonly signInId: string;
  /** The member's id, or the key's: each owns what it starts. */
  readonly userId: string;
  readonly organizationId: string;
  readonly role: Role;
};

/** Without a Stripe key the built-in test provider is used. */
export type PaymentSettings = {
  readonly stripeSecretKey?: string | undefined;
  readonly stripeWebhookSecret?: string | undefined;
  /** Replaces the address of Stripe's API. */
  readonly stripeApiBase?: string | undefined;
};

export type CommandSettings = {
  readonly publicUrl: string;
  readonly trustProxy: TrustProxy;
  readonly rateLimitScale: number;
  /** Signs cookies and invitations; 32 bytes as base64url. */
  readonly signingKey: string;
  /** Where the key is that signs audit logs. */
  readonly auditKey: AuditKeySettings;
  /** Which model answers in chats; the built-in engine without one. */
  readonly model?: Parameters<typeof engineFor>[0];
  /** Where model servers of this computer listen, instead of their usual ports. */
  readonly localModelPorts?: { readonly ollama: number; readonly lmstudio: number } | undefined;
  /** MCP servers that the product starts as programs, by name. */
  readonly localMcpServers?: LocalMcpServers | undefined;
  /** What the operator asks for models; by default one credit for all. */
  readonly modelCredits?: ModelCredits | undefined;
  /** The listening address, which outbound requests must not reach. */
  readonly host?: string | undefined;
  readonly port?: number | undefined;
  /** Private names, addresses and ranges that outbound requests may reach. */
  readonly allowPrivateHosts?: string | undefined;
  readonly payments?: PaymentSettings;
  /** Replaces the address of Google's API, for mailboxes. */
  readonly googleApiBase?: string | undefined;
  /** The time-out of a mailbox's connection test, in milliseconds, instead of the default. */
  readonly mailboxTestMsMax?: number | undefined;
  /** How long a session waits for the decision on a call, in milliseconds, instead of the default. */
  readonly sessionApprovalMs?: number | undefined;
  /** Argon2id's cost in KiB and passes. Tests lower it. */
  readonly passwordCost?: { readonly memoryCost: number; readonly timeCost: number } | undefined;
  /** Without it, invitations and notifications are kept for the outbox page. */
  readonly mail?: MailSettings | undefined;
  /** The address that receives messages and tickets; they are mailed if mail is configured. */
  readonly supportEmail?: string | undefined;
  /** The authority that stamps audit checkpoints; without it they stay on the server. */
  readonly timestampUrl?: string | undefined;
  /** The token of internal calls; without it none are accepted. */
  readonly internalToken?: string | undefined;
  /** A browser is needed: notifies the process that starts browser runners, possibly more than once. */
  readonly wantBrowser?: (() => void) | undefined;
};

/** The resources of routes, reactions and workers. */
export type Kit = {
  readonly settings: CommandSettings;
  readonly pool: pg.Pool;
  readonly box: SealedBox;
  readonly vault: Vault;
  readonly personKeys: PersonKeys;
  readonly auditSigning: AuditSigning;
  readonly idempotency: Idempotency;
  readonly keyCalls: KeyCalls;
  /** Ends streamed answers whose sign-in or API key is no longer valid. */
  readonly credentialWatch: CredentialWatch;
  readonly readPosition: ReadPosition;
  readonly streams: StreamStore;
  readonly mail: Mailer;
  readonly lastSeen: LastSeen;
  readonly queues: SharedQueues;
  /** Runs tool scripts in isolation. */
  readonly scripts: ScriptPool;
  /** Reads files and pages that become articles, in threads. */
  readonly importer: Importer;
  /** The bytes of files that this process receives. */
  readonly uploads: HeldBytes;
  readonly log: Log;
  /** Counts calls of an API key, by its digest. Never throws. */
  readonly recordKeyUse: (digest: string, count: number) => Promise<void>;
  /** For the audit log. Returns at once, and never throws. */
  readonly recordRefused: (refused: RefusedCall) => void;
  /** For the audit log. Rejects if it is not recorded. */
  readonly recordAuditor: (called: AuditorCall) => Promise<void>;
  /** The newest position that this process knows of. */
  readonly latest: { current(): Position; advance(position: Position): void };
};
