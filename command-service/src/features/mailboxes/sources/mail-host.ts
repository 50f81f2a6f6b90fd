import { isIP } from 'node:net';
import { guardedLookup, type OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { reportFailure } from '@tallyhand/agent-runtime/guard/outbound-errors';

export type CheckedHost = {
  /** Where the socket connects to: nothing resolves the name a second time. */
  readonly address: string;
  /** What the server's certificate must be for. */
  readonly servername: string | undefined;
};

/** The address of a mail server that may be reached. Throws OutboundRefused and OutboundFailed. */
export async function checkedHost(
  { host, port }: { readonly host: string; readonly port: number },
  policy: OutboundPolicy,
  signal: AbortSignal,
): Promise<CheckedHost> {
  const [first] = await guardedLookup(host, port, policy, signal).catch((error) => {
    reportFailure(error, policy.onOutbound);
    throw error;
  });
  if (!first) throw new Error('The guard gave no address');
  return { address: first.address, servername: isIP(host) === 0 ? host : undefined };
}
