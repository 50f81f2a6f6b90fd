import {
  ApiKeyCreated,
  type ApiKeyEvent,
  ApiKeyRevoked,
  apiKeyEvents,
} from '@tallyhand/contracts/features/api-keys/api-keys.events';
import type { EventValue } from '@tallyhand/contracts/kernel/messages';
import { NotFound } from '@tallyhand/contracts/kernel/problem';
import type { RefusalOf } from '@tallyhand/contracts/kernel/refusal';
import type { Decider, StreamPolicy } from '../../kit/stream-policy.ts';

type ApiKeyCommand =
  | EventValue<'CreateApiKey', Parameters<typeof ApiKeyCreated>[0]>
  | EventValue<'RevokeApiKey', { readonly organizationId: string }>;

type ApiKey = {
  readonly keyId: string;
  readonly organizationId: string;
  readonly name: string;
  readonly isRevoked: boolean;
} | null;

/** A key is created once and revoked once. Its expiry needs no event. */
export const apiKeyDecider: Decider<
  ApiKey,
  ApiKeyCommand,
  ApiKeyEvent,
  RefusalOf<typeof NotFound>
> = {
  initialState: () => null,
  decide(command, key) {
    if (command.type === 'CreateApiKey') return key ? [] : [ApiKeyCreated(command.data)];
    const { organizationId } = command.data;
    if (key?.organizationId !== organizationId) return NotFound({ what: 'key' });
    return key.isRevoked ? [] : [ApiKeyRevoked({ keyId: key.keyId, organizationId })];
  },
  evolve(key, event) {
    switch (event.type) {
      case 'ApiKeyCreated': {
        const { keyId, organizationId, name } = event.data;
        return { keyId, organizationId, name, isRevoked: false };
      }
      case 'ApiKeyRevoked':
        return key && { ...key, isRevoked: true };
    }
  },
};

export const apiKeyStream: StreamPolicy<
  ApiKey,
  ApiKeyCommand,
  ApiKeyEvent,
  RefusalOf<typeof NotFound>
> = {
  category: 'apikey',
  decider: apiKeyDecider,
  events: apiKeyEvents,
  begunBy: 'CreateApiKey',
};
