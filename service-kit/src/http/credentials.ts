import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { derivedId } from '../crypto/ids.ts';
import { signInIdOf } from './cookies.ts';

const KEY_BYTES = 32;
const KEY = /^th_[A-Za-z0-9_-]{43}$/;
const BEARER = /^bearer(\s|$)/i;

/** The credentials of a request; not checked for validity here. */
export type Credential = {
  readonly kind: 'member' | 'api-key';
  /** A sign-in's id, or the digest of a key. */
  readonly id: string;
};

/** A new API key: 256 random bits, as base64url. */
export const newApiKey = () => `th_${randomBytes(KEY_BYTES).toString('base64url')}`;

/**
 * Finds a key without storing it: the first 122 bits of its SHA-256, as a UUID. It is infeasible to
 * find a key for a digest, or two keys with the same digest.
 */
export const keyDigest = (key: string) => derivedId('api-key', key);

/**
 * Whether the call uses a key. Then cookies are ignored, so another site gains nothing: a browser
 * adds cookies automatically, and never this header.
 */
export const hasKey = ({ headers }: Pick<FastifyRequest, 'headers'>) =>
  BEARER.test(headers.authorization ?? '');

/** The request's API key, otherwise the sign-in of its cookie. */
export async function credentialOf(
  request: Pick<FastifyRequest, 'headers' | 'cookies'>,
  settings: { publicUrl: string; signingKey: string },
): Promise<Credential | null> {
  if (hasKey(request)) {
    const key = request.headers.authorization?.replace(BEARER, '').trim() ?? '';
    return KEY.test(key) ? { kind: 'api-key', id: keyDigest(key) } : null;
  }
  const id = await signInIdOf(request, settings);
  return id === null ? null : { kind: 'member', id };
}
