import { newId } from '@tallyhand/service-kit/crypto/ids';
import { signToken } from '@tallyhand/service-kit/crypto/tokens';
import { clearDeviceCookie, deviceOf, setDeviceCookie } from '@tallyhand/service-kit/http/cookies';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CommandSettings } from '../../kit/app.ts';
import type { TriedFrom } from './failed-sign-ins.ts';

const REMEMBERED_DAYS = 365;
/** Accounts known on one browser; the one with the oldest sign-in is dropped. */
const MARKS_MAX = 8;

type Cookies = Pick<FastifyRequest, 'cookies'>;
type Marked = { readonly userId: string; readonly now: Date };

/** The marks of a browser, one for each account that has signed in there, latest first. */
async function marksOf(request: Cookies, settings: CommandSettings): Promise<string[]> {
  return (await deviceOf(request, settings))?.split(' ') ?? [];
}

const isOf = (userId: string) => (mark: string) => mark.startsWith(`${userId}.`);

/** Where an attempt to sign in comes from. `userId` is null if there is no such account. */
export async function triedFrom(
  request: Pick<FastifyRequest, 'cookies' | 'ip'>,
  settings: CommandSettings,
  userId: string | null,
): Promise<TriedFrom> {
  const mark = userId && (await marksOf(request, settings)).find(isOf(userId));
  return mark ? { known: mark } : { address: request.ip };
}

/** Makes the browser known, so that attempts from elsewhere don't make it wait. */
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
 * Makes a browser known that opened a mailed link. Its mark is always new, because failed attempts
 * may count against the old one.
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

/** Removes the account's mark from the browser. Other accounts stay known there. */
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
