import { startTransitPeer, type TransitPeer } from '@tallyhand/test-kit/transit-peer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { signatureFault, signLines } from '../audit-bundle/signed-text.ts';
import { SignerUnavailable } from '../audit-bundle/signer.ts';
import { freePort } from '../free-port.ts';
import { transitKeys } from './transit-keys.ts';

const LONG_MS = 20_000;

let peer: TransitPeer;
beforeEach(async () => {
  peer = await startTransitPeer();
});
afterEach(() => peer[Symbol.asyncDispose]());

const keysOf = (change: Partial<TransitPeer> = {}) => {
  const { address, token, mount, name } = { ...peer, ...change };
  return transitKeys({ kind: 'transit', address, token, mount, name });
};

async function failureOf(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SignerUnavailable);
  return error instanceof Error ? error.message : '';
}

describe('a key at an external signer', () => {
  it('signs with the version that is wanted', async () => {
    const keys = keysOf();
    await keys.rotate();
    const signers = await keys.signers();
    expect(signers).toHaveLength(2);
    for (const signer of signers) {
      const signed = await signLines(signer, ['a', 'b']);
      expect(signed.keyId).toBe(signer.publicKey.keyId);
      expect(signatureFault([signer.publicKey], signed)).toBeNull();
    }
    const [newest, oldest] = signers.map(({ publicKey }) => publicKey.raw);
    expect(newest).not.toBe(oldest);
    expect((await keysOf().signers()).map(({ publicKey }) => publicKey.raw)).toEqual([
      newest,
      oldest,
    ]);
  });

  it.each<[string, () => Promise<string>, RegExp]>([
    [
      'another token',
      () => failureOf(keysOf({ token: 'hvs.other' }).signers()),
      /^The signer at http:.* can't be used: it answered 403: permission denied\.$/,
    ],
    [
      'another name',
      () => failureOf(keysOf({ name: 'other' }).signers()),
      /can't be used: it answered 404\.$/,
    ],
    [
      'another address',
      async () => failureOf(keysOf({ address: `http://127.0.0.1:${await freePort()}` }).signers()),
      /can't be used: it can't be reached \(ECONNREFUSED\)\.$/,
    ],
  ])('reports %s without the token', async (_, failing, expected) => {
    const message = await failing();
    expect(message).toMatch(expected);
    expect(message).not.toContain('hvs.');
  });

  it.each<[TransitPeer['state'], RegExp]>([
    ['sealed', /can't be used: it answered 503: Vault is sealed\.$/],
    ['wrong', /can't be used: it signed with another key\.$/],
    ['redirecting', /can't be used: /],
    ['silent', /can't be used: it does not answer\.$/],
  ])(
    'reports a signer that is %s',
    async (state, expected) => {
      const [signer] = await keysOf().signers();
      peer.state = state;
      expect(await failureOf(signer?.sign('text') ?? Promise.resolve())).toMatch(expected);
    },
    LONG_MS,
  );
});
