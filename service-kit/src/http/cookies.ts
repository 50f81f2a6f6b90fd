import type { FastifyReply, FastifyRequest } from 'fastify';
import { verifyToken } from '../crypto/tokens.ts';
import { formatPosition, type Position, parsePosition } from '../event-store/position.ts';

export const POSITION_HEADER = 'tallyhand-position';
export const AT_LEAST_HEADER = 'tallyhand-at-least';
const POSITION_COOKIE = 'tallyhand_position';
/** Longer than any lag could last. */
const POSITION_COOKIE_SECONDS = 300;

/** On https the prefix makes the browser keep the cookie to this very host. */
export const signInCookieName = (publicUrl: string) =>
  publicUrl.startsWith('https:') ? '__Host-tallyhand' : 'tallyhand';

const cookieOptions = (publicUrl: string) =>
  ({
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: publicUrl.startsWith('https:'),
  }) as const;

export function setSignInCookie(
  reply: FastifyReply,
  publicUrl: string,
  token: string,
  expires: Date,
) {
  reply.setCookie(signInCookieName(publicUrl), token, { ...cookieOptions(publicUrl), expires });
}

export function clearSignInCookie(reply: FastifyReply, publicUrl: string) {
  reply.clearCookie(signInCookieName(publicUrl), cookieOptions(publicUrl));
}

/** Survives signing out: it distinguishes a known browser from a stranger's. */
const deviceCookieName = (publicUrl: string) => `${signInCookieName(publicUrl)}_device`;

export function setDeviceCookie(
  reply: FastifyReply,
  publicUrl: string,
  token: string,
  expires: Date,
) {
  reply.setCookie(deviceCookieName(publicUrl), token, { ...cookieOptions(publicUrl), expires });
}

export function clearDeviceCookie(reply: FastifyReply, publicUrl: string) {
  reply.clearCookie(deviceCookieName(publicUrl), cookieOptions(publicUrl));
}

/** The subject of the mark that the browser received at sign-in, or null. */
export async function deviceOf(
  request: Pick<FastifyRequest, 'cookies'>,
  settings: { publicUrl: string; signingKey: string },
): Promise<string | null> {
  const token = request.cookies[deviceCookieName(settings.publicUrl)];
  if (!token) return null;
  return verifyToken(settings.signingKey, 'device', token, new Date());
}

/** The id of the sign-in that the cookie names, or null; whether it still counts is not known here. */
export async function signInIdOf(
  request: Pick<FastifyRequest, 'cookies'>,
  settings: { publicUrl: string; signingKey: string },
): Promise<string | null> {
  const token = request.cookies[signInCookieName(settings.publicUrl)];
  if (!token) return null;
  return verifyToken(settings.signingKey, 'sign-in', token, new Date());
}

export function setPosition(reply: FastifyReply, publicUrl: string, position: Position) {
  const text = formatPosition(position);
  reply.header(POSITION_HEADER, text);
  reply.setCookie(POSITION_COOKIE, text, {
    ...cookieOptions(publicUrl),
    maxAge: POSITION_COOKIE_SECONDS,
  });
}

export const hasPositionCookie = (request: FastifyRequest) =>
  request.cookies[POSITION_COOKIE] !== undefined;

/** The position that the caller's next read must have passed, from header or cookie. */
export function positionToPass(request: FastifyRequest): Position | null {
  const header = request.headers[AT_LEAST_HEADER];
  const text = typeof header === 'string' ? header : request.cookies[POSITION_COOKIE];
  return text === undefined ? null : parsePosition(text);
}
