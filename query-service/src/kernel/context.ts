import type { ModelCredits } from '@tallyhand/contracts/features/models/model-credits.endpoints';
import type { Observation } from '@tallyhand/contracts/kernel/observation';
import type { AuditKeySettings } from '@tallyhand/service-kit/audit-keys/key-settings';
import type { AuditSigning } from '@tallyhand/service-kit/audit-keys/signing';
import type { SealedBox } from '@tallyhand/service-kit/crypto/sealed-box';
import type { DiskSpace } from '@tallyhand/service-kit/disk-space';
import type { TrustProxy } from '@tallyhand/service-kit/http/app';
import type { KeyCalls } from '@tallyhand/service-kit/http/key-calls';
import type { Log } from '@tallyhand/service-kit/log';
import type { ReadPosition } from '@tallyhand/service-kit/postgres/read-position';
import type pg from 'pg';
import type { StatementRunner } from './read-lines.ts';

export type QuerySettings = {
  readonly publicUrl: string;
  readonly trustProxy: TrustProxy;
  readonly rateLimitScale: number;
  /** Verifies cookies and signs invitations; 32 bytes as base64url. */
  readonly signingKey: string;
  /** Where the key is that signs audit logs. */
  readonly auditKey: AuditKeySettings;
  /** With a Stripe key, payments use Stripe, otherwise the built-in test provider. */
  readonly payments?: { readonly stripeSecretKey?: string | undefined } | undefined;
  /** What the operator asks for models; by default one credit for all. */
  readonly modelCredits?: ModelCredits | undefined;
  /** Receives observations of reads; returns immediately. */
  readonly observe: (observation: Observation) => void;
  /** Resolves when the observation is recorded; otherwise rejects. */
  readonly record: (observation: Observation) => Promise<void>;
  /** The free space of disks on this machine; without it the status has no disk check. */
  readonly disks?: () => readonly DiskSpace[];
  /** Metrics of a browser runner on this machine, as text. */
  readonly runnerFigures?: () => Promise<string>;
  readonly log: Log;
};

/** The dependencies of every read. */
export type QueryContext = {
  readonly settings: QuerySettings;
  /** For reads that may take long; each holds a connection. */
  readonly pool: pg.Pool;
  /** For all other reads. */
  readonly lines: StatementRunner;
  /** Decrypts data sealed at rest. */
  readonly box: SealedBox;
  readonly keyCalls: KeyCalls;
  readonly auditSigning: AuditSigning;
  readonly readPosition: ReadPosition;
  /** Records activity of a sign-in; reported periodically. */
  readonly noteSeen: (signInId: string) => void;
};
