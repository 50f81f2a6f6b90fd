import { newId } from '@tallyhand/service-kit/crypto/ids';
import { signToken } from '@tallyhand/service-kit/crypto/tokens';
import { clearDeviceCookie, deviceOf, setDeviceCookie } from '@tallyhand/service-kit/http/cookies';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CommandSettings } from '../../kit/app.ts';
import type { TriedFrom } from './failed-sign-ins.ts';

const REMEMBERED_DAYS = 365;
/** Accounts that have signed in on the same browser; the one that did so the longest ago is dropped. */
const MARKS_MAX = 8;

type Cookies = Pick<FastifyRequest, 'cookies'>;
type Marked = { readonly userId: string; readonly now: Date };

/** The marks of a browser, one for each account that has signed in there; the latest comes first. */
async function marksOf(request: Cookies, settings: CommandSettings): Promise<string[]> {
  return (await deviceOf(request, settings))?.split(' ') ?? [];
}

const isOf = (userId: string) => (mark: string) => mark.startsWith(`${userId}.`);

/** Where a try to sign in comes from; `userId` is null where there is no such account. */
export async function triedFrom(
  request: Pick<FastifyRequest, 'cookies' | 'ip'>,
  settings: CommandSettings,
  userId: string | null,
): Promise<TriedFrom> {
  const mark = userId && (await marksOf(request, settings)).find(isOf(userId));
  return mark ? { known: mark } : { address: request.ip };
}

/** Lets the browser be known from now on, so that strangers' tries don't make it wait. */
export async function rememberDevice(
  request: Cookies,
  reply: FastifyReply,
  settings: CommandSettings,
  { userId, now }: Marked,
): Promise<void> {
  const marks = await marksOf(request, settings);
  const own = marks.find(isOf(userId)) ?? newMark(userId);
  await giveMarks(reply, settings, [own, ...marks.filter((mark) => mark !== own)], now);
}

/**
 * Lets a browser that opened a link by mail be known. Its mark is always new: an old one may have
 * wrong passwords to wait for.
 */
export async function giveNewMark(
  request: Cookies,
  reply: FastifyReply,
  settings: CommandSettings,
  { userId, now }: Marked,
): Promise<void> {
  const others = await marksOfOthers(request, settings, userId);
  await giveMarks(reply, settings, [newMark(userId), ...others], now);
}

/** Forgets that this account was used here; the other accounts of the browser stay known. */
export async function forgetMark(
  request: Cookies,
  reply: FastifyReply,
  settings: CommandSettings,
  { userId, now }: Marked,
): Promise<void> {
  const others = await marksOfOthers(request, settings, userId);
  if (others.length > 0) await giveMarks(reply, settings, others, now);
  else clearDeviceCookie(reply, settings.publicUrl);
}

async function marksOfOthers(request: Cookies, settings: CommandSettings, userId: string) {
  const isOwn = isOf(userId);
  return (await marksOf(request, settings)).filter((mark) => !isOwn(mark));
}

const newMark = (userId: string) => `${userId}.${newId()}`;

async function giveMarks(
  reply: FastifyReply,
  settings: CommandSettings,
  marks: readonly string[],
  now: Date,
): Promise<void> {
  const expiresAt = new Date(now.getTime() + REMEMBERED_DAYS * 86_400_000);
  const subject = marks.slice(0, MARKS_MAX).join(' ');
  const token = await signToken(settings.signingKey, 'device', { subject, expiresAt });
  setDeviceCookie(reply, settings.publicUrl, token, expiresAt);
}
