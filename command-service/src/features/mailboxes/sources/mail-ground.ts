import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';

/** What reaching out takes besides the credentials. */
export type MailGround = {
  readonly policy: OutboundPolicy;
  /** Another address than Google's own. */
  readonly googleApiBase?: string | undefined;
  /** For a whole test of a connection, in milliseconds; its own time without it. */
  readonly testMsMax?: number | undefined;
};
