import { parseAllowedHosts } from '@tallyhand/agent-runtime/guard/allowed-hosts';
import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { countOutbound } from '@tallyhand/service-kit/metrics/model-calls';
import type { CommandSettings } from './app.ts';

/** Outbound requests may reach the public internet and the hosts that the operator lists. */
export function outboundPolicyOf(settings: CommandSettings): OutboundPolicy {
  const { publicUrl, host, port, allowPrivateHosts = '' } = settings;
  const listening =
    host && port ? [`http://${host.includes(':') ? `[${host}]` : host}:${port}`] : [];
  return {
    ownOrigins: [publicUrl, ...listening],
    allowedHosts: parseAllowedHosts(allowPrivateHosts),
    onOutbound: countOutbound,
  };
}
