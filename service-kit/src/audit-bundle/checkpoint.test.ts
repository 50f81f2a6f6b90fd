import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkpointIn, signCheckpoint } from './checkpoint.ts';
import { auditKeyFrom, publicKeyOf } from './keys.ts';
import { publishedKey, readPublicKey } from './public-key.ts';
import { SignedText, signatureFault, signLines } from './signed-text.ts';
import { localSigner } from './signer.ts';

const secret = Buffer.alloc(32, 7).toString('base64url');
const key = auditKeyFrom(secret);
const publicKey = publicKeyOf(key);
const signer = localSigner(key);
const checkpoint = {
  organizationId: '0190b5a0-0000-7000-8000-000000000001',
  size: 12,
  root: Buffer.alloc(32, 1).toString('base64'),
};

describe('the key', () => {
  it('is derived from the secret, deterministic, and different for another secret', () => {
    expect(publicKeyOf(auditKeyFrom(secret))).toEqual(publicKey);
    const other = auditKeyFrom(Buffer.alloc(32, 8).toString('base64url'));
    expect(publicKeyOf(other).keyId).not.toBe(publicKey.keyId);
  });

  it('remains the one that earlier logs were signed with', () => {
    expect(publicKey).toEqual({
      keyId: '6599fe8c927c85e0',
      raw: 'kVU3MnMy8N12VmorxlMjYwAtPL1iY/QreqW4Kp9+nYA=',
    });
  });

  it('is read in each form in which it is published', () => {
    const { raw, pem, jwk } = publishedKey(publicKey);
    const base64url = raw.replaceAll('+', '-').replaceAll('/', '_').replace('=', '');
    for (const form of [raw, base64url, `${raw}\n`, pem, JSON.stringify(jwk)]) {
      expect(readPublicKey(form), form).toEqual(publicKey);
    }
    expect(jwk).not.toHaveProperty('d');
    expect(pem).not.toContain('PRIVATE');
  });

  it('is not read from other text', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey;
    const rsaPem = rsa.export({ format: 'pem', type: 'spki' }).toString();
    const secretPem = key.export({ format: 'pem', type: 'pkcs8' }).toString();
    for (const text of ['', 'AAAA', '{}', '{', 'x'.repeat(60), rsaPem, secretPem]) {
      expect(readPublicKey(text), text).toBeNull();
    }
  });
});

describe('a checkpoint', async () => {
  const signed = await signCheckpoint(signer, checkpoint);

  it('is four lines, the same each time it is signed, and reads back', async () => {
    expect(signed.text).toBe(
      `tallyhand audit log\n${checkpoint.organizationId}\n12\n${checkpoint.root}\n`,
    );
    expect(await signCheckpoint(signer, checkpoint)).toEqual(signed);
    expect(checkpointIn(signed)).toEqual(checkpoint);
    expect(signatureFault([publicKey], signed)).toBeNull();
  });

  it('is forged when any character of its text or signature differs', () => {
    for (let at = 0; at < signed.text.length; at += 1) {
      const text = `${signed.text.slice(0, at)}~${signed.text.slice(at + 1)}`;
      expect(signatureFault([publicKey], { ...signed, text })).toBe('forged');
    }
    for (let at = 0; at < signed.signature.length; at += 1) {
      const letter = signed.signature[at] === 'B' ? 'C' : 'B';
      const signature = `${signed.signature.slice(0, at)}${letter}${signed.signature.slice(at + 1)}`;
      const other = { ...signed, signature };
      const isFound =
        !SignedText.safeParse(other).success || signatureFault([publicKey], other) === 'forged';
      expect(isFound, `signature at ${at}`).toBe(true);
    }
  });

  it('is signed by another key if it names one', async () => {
    const other = await signCheckpoint(
      localSigner(auditKeyFrom(Buffer.alloc(32, 9).toString('base64url'))),
      checkpoint,
    );
    expect(signatureFault([publicKey], other)).toBe('other-key');
    expect(signatureFault([publicKey], { ...other, keyId: signed.keyId })).toBe('forged');
  });

  it('is invalid with another origin or in another format', async () => {
    const [origin = '', ...rest] = signed.text.trimEnd().split('\n');
    const [id = '', , root = ''] = rest;
    for (const lines of [
      ['tallyhand audit export', ...rest],
      [origin, id, '012', root],
      [origin, id, '1e1', root],
      [origin, id, '-1', root],
      [origin, 'x', '12', root],
      [origin, id, '12', 'AAAA'],
      [origin, ...rest, 'more'],
    ]) {
      expect(checkpointIn(await signLines(signer, lines)), lines.join()).toBeNull();
    }
  });
});
