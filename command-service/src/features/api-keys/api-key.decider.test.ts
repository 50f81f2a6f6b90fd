import {
  ApiKeyCreated,
  ApiKeyRevoked,
} from '@tallyhand/contracts/features/api-keys/api-keys.events';
import { derivedId } from '@tallyhand/service-kit/crypto/ids';
import { describe, expect, it } from 'vitest';
import { rulesOf } from '../../kit/testing/given.ts';
import { apiKeyStream } from './api-key.decider.ts';

const own = { keyId: derivedId('key'), organizationId: derivedId('organization') };
const key = {
  ...own,
  name: 'Nightly import',
  role: 'Editor' as const,
  createdBy: derivedId('ada'),
  expiresAt: null,
};
const create = { type: 'CreateApiKey' as const, data: key };
const revoke = (organizationId = own.organizationId) => ({
  type: 'RevokeApiKey' as const,
  data: { organizationId },
});
const created = ApiKeyCreated(key);
const revoked = ApiKeyRevoked(own);

const given = rulesOf(apiKeyStream);

describe('CreateApiKey', () => {
  it('makes the key', () => {
    given().when(create).thenAppended(created);
  });
  it('does nothing the second time it arrives, whatever it contains then', () => {
    given(created).when(create).thenNothing();
    given(created)
      .when({ ...create, data: { ...key, role: 'Admin' } })
      .thenNothing();
    given(created, revoked).when(create).thenNothing();
  });
});

describe('RevokeApiKey', () => {
  it('ends the key', () => {
    given(created).when(revoke()).thenAppended(revoked);
    expect(given(created, revoked).state()).toMatchObject({ isRevoked: true });
  });
  it('does nothing the second time it arrives', () => {
    given(created, revoked).when(revoke()).thenNothing();
  });
  it('is refused for an unknown key, and for another organization', () => {
    given().when(revoke()).thenRefused('not-found', { what: 'key' });
    given(created)
      .when(revoke(derivedId('another organization')))
      .thenRefused('not-found', { what: 'key' });
  });
});
