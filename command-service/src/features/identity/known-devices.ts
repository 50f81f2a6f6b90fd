import { newId } from '@tallyhand/service-kit/crypto/ids';
import { signToken } from '@tallyhand/service-kit/crypto/tokens';
import { deviceOf, setDeviceCookie } from '@tallyhand/service-kit/http/cookies';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CommandSettings } from '../../kit/app.ts';
import type { TriedFrom } from './failed-sign-ins.ts';

const REMEMBERED_DAYS = 365;

/** The browser's mark where it has signed in to this very account before. */
async function markOf(
  request: Pick<FastifyRequest, 'cookies'>,
  settings: CommandSettings,
  userId: string,
) {
  const mark = await deviceOf(request, settings);
  return mark?.startsWith(`${userId}.`) ? mark : null;
}

/** Where a try to sign in comes from; `userId` is null where there is no such account. */
export async function triedFrom(
  request: Pick<FastifyRequest, 'cookies' | 'ip'>,
  settings: CommandSettings,
  userId: string | null,
): Promise<TriedFrom> {
  const mark = userId && (await markOf(request, settings, userId));
  return mark ? { known: mark } : { address: request.ip };
}

/** Lets the browser be known from now on, so that strangers' tries don't make it wait. */
export async function rememberDevice(
  request: Pick<FastifyRequest, 'cookies'>,
  reply: FastifyReply,
  settings: CommandSettings,
  { userId, now }: { readonly userId: string; readonly now: Date },
): Promise<void> {
  const mark = (await markOf(request, settings, userId)) ?? newMark(userId);
  await giveMark(reply, settings, { mark, now });
}

/**
 * Lets a browser that opened a link by mail be known. Its mark is always new: an old one may have
 * wrong passwords to wait for.
 */
export async function giveNewMark(
  reply: FastifyReply,
  settings: CommandSettings,
  { userId, now }: { readonly userId: string; readonly now: Date },
): Promise<void> {
  await giveMark(reply, settings, { mark: newMark(userId), now });
}

const newMark = (userId: string) => `${userId}.${newId()}`;

async function giveMark(
  reply: FastifyReply,
  settings: CommandSettings,
  { mark, now }: { readonly mark: string; readonly now: Date },
): Promise<void> {
  const expiresAt = new Date(now.getTime() + REMEMBERED_DAYS * 86_400_000);
  const token = await signToken(settings.signingKey, 'device', { subject: mark, expiresAt });
  setDeviceCookie(reply, settings.publicUrl, token, expiresAt);
}
