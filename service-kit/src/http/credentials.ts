import { randomBytes } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { derivedId } from '../crypto/ids.ts';
import { signInIdOf } from './cookies.ts';

const KEY_BYTES = 32;
const KEY = /^th_[A-Za-z0-9_-]{43}$/;
const BEARER = /^bearer(\s|$)/i;

/** What a request shows to say who calls; whether it still counts is not known here. */
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
 * Whether a key is what the call goes by. Then no cookie counts, so that another site has nothing
 * to gain from it: a browser adds cookies by itself, and never this header.
 */
export const hasKey = ({ headers }: Pick<FastifyRequest, 'headers'>) =>
  BEARER.test(headers.authorization ?? '');

/** The API key that the request shows, or else the sign-in that its cookie names. */
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
