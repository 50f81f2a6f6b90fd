import type { ModelSource } from '@tallyhand/agent-runtime/engine';
import type { OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { costBy, listedCost } from '@tallyhand/agent-runtime/model-cost';
import { type Circuit, newCircuit } from '@tallyhand/agent-runtime/openai/circuit';
import type { Endpoint } from '@tallyhand/agent-runtime/openai/client';
import { MODEL_PROVIDERS } from '@tallyhand/contracts/features/models/model-providers';
import type { EndpointInput } from '@tallyhand/contracts/features/models/models.fields';
import { LRUCache } from 'lru-cache';
import type { Kit } from '../../kit/app.ts';
import { BoundSecrets } from '../../kit/bound-secrets.ts';
import { outboundPolicyOf } from '../../kit/outbound.ts';
import type { Versioned } from '../../kit/versioned-object.decider.ts';
import {
  bindingOfKey,
  type ConnectionFields,
  type ConnectionKey,
  isKeyUsable,
} from './connection.decider.ts';
import type { LocalServers } from './local-servers.ts';

/** Connections whose circuits are remembered. */
const CIRCUITS_MAX = 1_000;

/** A model of a connection, with the price that was entered for it or a public one. */
export function sourceOf(
  { id: connectionId, fields: { provider, prices } }: Versioned<ConnectionFields>,
  model: string,
): ModelSource {
  const price = prices.find((entered) => entered.model === model);
  return { connectionId, costOf: price ? costBy(price) : listedCost(provider, model) };
}

/** Endpoints of servers on one's own computer accept any key. */
const KEYLESS = 'none';

/**
 * Endpoints of connections with their API keys, which are encrypted at rest and leave the process only
 * for the address that they were entered for.
 */
export class ConnectionEndpoints {
  readonly #secrets: BoundSecrets;
  readonly #policy: OutboundPolicy;
  readonly #local: LocalServers;
  readonly #circuits = new LRUCache<string, Circuit>({ max: CIRCUITS_MAX });

  constructor(kit: Kit, local: LocalServers) {
    this.#secrets = new BoundSecrets(kit, 'connection');
    this.#policy = outboundPolicyOf(kit.settings);
    this.#local = local;
  }

  /** Stores a key under the id that the connection's event names. May be repeated. */
  keep(
    own: {
      readonly organizationId: string;
      readonly connectionId: string;
      readonly key: ConnectionKey;
    },
    apiKey: string,
  ) {
    const { organizationId, connectionId: ownerId, key } = own;
    return this.#secrets.keep({ organizationId, ownerId, id: key.id }, apiKey, {
      provider: key.provider,
      baseUrl: key.baseUrl,
    });
  }

  /** What was opened can be used again while this is the same. */
  async stateOf({ id, version, organizationId, fields }: Versioned<ConnectionFields>) {
    const isLocal = (await this.#local.policyFor(organizationId, fields)) !== null;
    return `${id} ${version} ${isLocal}`;
  }

  /** Null if the key must be entered again before the endpoint can be called. */
  async open(connection: Versioned<ConnectionFields>): Promise<Endpoint | null> {
    const { id, version, organizationId, fields } = connection;
    const { keyHeader } = MODEL_PROVIDERS[fields.provider];
    const circuit = this.#circuitOf(`${id} ${version}`);
    const policy = (await this.#local.policyFor(organizationId, fields)) ?? this.#policy;
    const endpoint = { baseURL: fields.baseUrl, keyHeader, policy, circuit };
    if (fields.key === null) return { ...endpoint, apiKey: KEYLESS };
    if (!isKeyUsable(fields)) return null;
    const apiKey = await this.#secrets.open(
      { ownerId: id, id: fields.key.id },
      bindingOfKey(fields),
    );
    return typeof apiKey === 'string' ? { ...endpoint, apiKey } : null;
  }

  /** An endpoint that is not connected yet, with the key that was just entered. */
  async at(
    organizationId: string,
    { provider, baseUrl, apiKey = KEYLESS }: EndpointInput,
  ): Promise<Endpoint> {
    const { keyHeader } = MODEL_PROVIDERS[provider];
    const policy =
      (await this.#local.policyFor(organizationId, { provider, baseUrl })) ?? this.#policy;
    return { baseURL: baseUrl, apiKey, keyHeader, policy, circuit: newCircuit() };
  }

  /** A changed connection begins with a new one. */
  #circuitOf(connection: string): Circuit {
    const circuit = this.#circuits.get(connection) ?? newCircuit();
    this.#circuits.set(connection, circuit);
    return circuit;
  }

  /** Deletes a key that another one has replaced. */
  async forget(
    connectionId: string,
    key: ConnectionKey | null,
    present: ConnectionKey | null = null,
  ) {
    if (key && key.id !== present?.id) await this.#secrets.forget(connectionId, [key.id]);
  }
}
