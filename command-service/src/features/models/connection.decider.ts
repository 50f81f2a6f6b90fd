import type { ModelProviderId } from '@tallyhand/contracts/features/models/model-providers';
import {
  ConnectionChanged,
  ConnectionCreated,
  ConnectionDeleted,
  type ConnectionEvent,
  ConnectionRestored,
  connectionEvents,
} from '@tallyhand/contracts/features/models/models.events';
import type { ModelPrice } from '@tallyhand/contracts/features/models/models.fields';
import { versionedDecider, versionedStream } from '../../kit/versioned-object.decider.ts';

export type ConnectionFields = {
  readonly name: string;
  readonly provider: ModelProviderId;
  readonly baseUrl: string;
  readonly models: readonly string[];
  readonly embeddingModel: string | null;
  readonly prices: readonly ModelPrice[];
  readonly key: ConnectionKey | null;
};

/** An API key in the vault, and what it was entered for. */
export type ConnectionKey = {
  readonly id: string;
  readonly provider: string;
  readonly baseUrl: string;
};

/** What a key is bound to: it is sent to this provider's address, in its header. */
export const bindingOfKey = ({
  provider,
  baseUrl,
}: Pick<ConnectionFields, 'provider' | 'baseUrl'>) => ({
  provider,
  baseUrl,
});

/** Whether the stored key may be sent to the present address. */
export const isKeyUsable = ({ key, provider, baseUrl }: ConnectionFields): boolean =>
  key !== null && key.provider === provider && key.baseUrl === baseUrl;

const events = {
  created: ConnectionCreated,
  changed: ConnectionChanged,
  deleted: ConnectionDeleted,
  restored: ConnectionRestored,
};
// Restoring an older version does not restore its key.
const connectionDecider = versionedDecider<ConnectionFields, ConnectionEvent>(
  'connection',
  events,
  ['key'],
);

export const connectionStream = versionedStream('connection', connectionDecider, connectionEvents);
