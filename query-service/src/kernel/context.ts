import type { Observation } from '@tallyhand/contracts/kernel/observation';
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
  /** Checks cookies and signs invitations again; 32 bytes as base64url. */
  readonly signingKey: string;
  /** With a key of Stripe's credits are bought there, else with the built-in test provider. */
  readonly payments?: { readonly stripeSecretKey?: string | undefined } | undefined;
  /** Hears what reads leave behind, and returns at once. */
  readonly observe: (observation: Observation) => void;
  /** How much room the disks have that lie on the same machine; without it nothing is told of them. */
  readonly disks?: () => readonly DiskSpace[];
  /** What a browser runner on the same machine measures, as text. */
  readonly runnerFigures?: () => Promise<string>;
  readonly log: Log;
};

/** What every read is given to work with. */
export type QueryContext = {
  readonly settings: QuerySettings;
  /** For reads that may take long, each on a connection of its own meanwhile. */
  readonly pool: pg.Pool;
  /** For all others. */
  readonly lines: StatementRunner;
  /** Opens what is sealed at rest. */
  readonly box: SealedBox;
  readonly keyCalls: KeyCalls;
  readonly readPosition: ReadPosition;
  /** Records that the sign-in was used; reported from time to time. */
  readonly noteSeen: (signInId: string) => void;
};
