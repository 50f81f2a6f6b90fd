import { EngineFailure } from '@tallyhand/agent-runtime/engine';
import { parseAllowedHosts } from '@tallyhand/agent-runtime/guard/allowed-hosts';
import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { hostOf, isThisComputer } from '@tallyhand/agent-runtime/guard/own-origins';
import { newCircuit } from '@tallyhand/agent-runtime/openai/circuit';
import { modelsOfEndpoint } from '@tallyhand/agent-runtime/openai/probe-endpoint';
import { withDeadline } from '@tallyhand/agent-runtime/with-deadline';
import { MODEL_PROVIDERS } from '@tallyhand/contracts/features/models/model-providers';
import {
  LOCAL_PROVIDERS,
  type LocalServer,
} from '@tallyhand/contracts/features/models/models.endpoints';
import type { Kit } from '../../kit/app.ts';
import { outboundPolicyOf } from '../../kit/outbound.ts';
import type { ConnectionFields } from './connection.decider.ts';

/** A server on this computer answers at once; what hangs is no model server. */
const FIND_MS = 2_000;
const EMBEDS = /embed/i;

type Address = Pick<LocalServer, 'provider' | 'baseUrl'>;

/**
 * Model servers on the computer of the product. They may be reached without the operator's list while
 * the product serves this computer only, and a single organization.
 */
export class LocalServers {
  readonly #kit: Pick<Kit, 'pool' | 'settings'>;
  readonly #addresses: readonly Address[];
  /** That of other requests, and these addresses. */
  readonly #policy: OutboundPolicy;

  constructor(kit: Pick<Kit, 'pool' | 'settings'>) {
    this.#kit = kit;
    const { localModelPorts } = kit.settings;
    this.#addresses = LOCAL_PROVIDERS.map((provider) => {
      const url = new URL(MODEL_PROVIDERS[provider].baseUrl);
      if (localModelPorts) url.port = String(localModelPorts[provider]);
      return { provider, baseUrl: url.href };
    });
    const policy = outboundPolicyOf(kit.settings);
    const hosts = this.#addresses.map(({ baseUrl }) => new URL(baseUrl).host).join();
    const allowedHosts = [...policy.allowedHosts, ...parseAllowedHosts(hosts)];
    this.#policy = { ...policy, allowedHosts };
  }

  /** The policy for a connection to one of the servers; null where that of all others applies. */
  async policyFor(
    organizationId: string,
    address: Pick<ConnectionFields, 'provider' | 'baseUrl'>,
  ): Promise<OutboundPolicy | null> {
    const isOne = this.#addresses.some(
      ({ provider, baseUrl }) => provider === address.provider && baseUrl === address.baseUrl,
    );
    return isOne && (await this.#isForOne(organizationId)) ? this.#policy : null;
  }

  /** The servers that answer now, with at least one model. */
  async find(organizationId: string, signal: AbortSignal): Promise<LocalServer[]> {
    if (!(await this.#isForOne(organizationId))) return [];
    const found = await Promise.all(this.#addresses.map((address) => this.#ask(address, signal)));
    return found.filter((server) => server !== null);
  }

  async #ask({ provider, baseUrl }: Address, signal: AbortSignal): Promise<LocalServer | null> {
    const { keyHeader } = MODEL_PROVIDERS[provider];
    const reached = { policy: this.#policy, circuit: newCircuit(), keyHeader };
    const endpoint = { ...reached, baseURL: baseUrl, apiKey: 'none' };
    try {
      const either = withDeadline(signal, FIND_MS);
      const names = await modelsOfEndpoint(endpoint, either);
      const models = names.filter((name) => !EMBEDS.test(name));
      const embeddingModel = names.find((name) => EMBEDS.test(name)) ?? null;
      return models.length > 0 ? { provider, baseUrl, models, embeddingModel } : null;
    } catch (error) {
      if (error instanceof EngineFailure) return null;
      throw error;
    }
  }

  async #isForOne(organizationId: string): Promise<boolean> {
    const { host, publicUrl } = this.#kit.settings;
    if (!host || !isThisComputer(host) || !isThisComputer(hostOf(new URL(publicUrl)))) return false;
    const { rowCount } = await this.#kit.pool.query(
      'select 1 from operational.access where organization_id <> $1 limit 1',
      [organizationId],
    );
    return rowCount === 0;
  }
}
