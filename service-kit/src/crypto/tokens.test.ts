import { randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { signToken, verifyToken } from './tokens.ts';

const key = randomBytes(32).toString('base64url');
const expiresAt = new Date('2026-12-21T08:00:00.000Z');
const before = new Date('2026-12-21T07:59:59.000Z');
const claims = { subject: 'sign-in-1', expiresAt };

describe('a token', () => {
  it('names its subject until it expires', async () => {
    const token = await signToken(key, 'sign-in', claims);
    expect(await verifyToken(key, 'sign-in', token, before)).toBe('sign-in-1');
    expect(await verifyToken(key, 'sign-in', token, expiresAt)).toBeNull();
  });
  it('is the same again for the same claims, so that it need not be stored', async () => {
    expect(await signToken(key, 'invitation', claims)).toBe(
      await signToken(key, 'invitation', claims),
    );
  });
  it('of one purpose never passes for another', async () => {
    const token = await signToken(key, 'invitation', claims);
    expect(await verifyToken(key, 'sign-in', token, before)).toBeNull();
    expect(await verifyToken(key, 'invitation', token, before)).toBe('sign-in-1');
  });
  it('that was signed with another key is forged', async () => {
    const other = randomBytes(32).toString('base64url');
    const token = await signToken(other, 'sign-in', claims);
    expect(await verifyToken(key, 'sign-in', token, before)).toBeNull();
  });
  it('that was altered is forged', async () => {
    const token = await signToken(key, 'sign-in', claims);
    const [header = '', , signature = ''] = token.split('.');
    const payload = { sub: 'sign-in-2', aud: 'sign-in', exp: expiresAt.getTime() / 1000 };
    const claimed = Buffer.from(JSON.stringify(payload)).toString('base64url');
    expect(
      await verifyToken(key, 'sign-in', `${header}.${claimed}.${signature}`, before),
    ).toBeNull();
  });
  it('without a signature, or signed by another method, is forged', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const payload = { sub: 'sign-in-1', aud: 'sign-in', exp: expiresAt.getTime() / 1000 };
    const unsigned = `${part({ alg: 'none' })}.${part(payload)}.`;
    expect(await verifyToken(key, 'sign-in', unsigned, before)).toBeNull();
    const long = await new SignJWT(payload)
      .setProtectedHeader({ alg: 'HS384' })
      .sign(Buffer.concat([Buffer.from(key, 'base64url'), Buffer.alloc(32)]));
    expect(await verifyToken(key, 'sign-in', long, before)).toBeNull();
  });
  it.each(['', 'nothing', 'a.b.c', '..'])('%j is none', async (text) => {
    expect(await verifyToken(key, 'sign-in', text, before)).toBeNull();
  });
});
