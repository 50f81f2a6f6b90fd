import {
  type GuardedResponse,
  guardedFetch,
  type OutboundInit,
} from '@tallyhand/agent-runtime/guard/guarded-fetch';
import { withDeadline } from '@tallyhand/agent-runtime/with-deadline';
import type { GmailCredentials } from '@tallyhand/contracts/features/mailboxes/mailboxes.fields';
import type { SendMailOptions } from 'nodemailer';
import { z } from 'zod';
import type { Outcome, SmtpTimes } from '../../../kit/mail/smtp.ts';
import { MailFailure, mailFailure } from './mail-failure.ts';
import { MAIL_BYTES_MAX, type OutboundMailConfig } from './mail-source.ts';

const TOKEN_BASE = 'https://oauth2.googleapis.com';
const API_BASE = 'https://gmail.googleapis.com';
/** As base64 in JSON a mail is a third longer. */
const BODY_BYTES_MAX = MAIL_BYTES_MAX * 1.4;
const GOOGLE = 'Google';

const Token = z.object({ access_token: z.string() });

/** The host of the API. */
export const gmailHost = ({ googleApiBase }: OutboundMailConfig): string =>
  new URL(googleApiBase ?? API_BASE).hostname;

/** Gmail's REST API for one account, signed in by its refresh token. */
export type GmailApi = {
  /** An answer of 2xx as its schema reads it. Rejects with MailFailure. */
  get<S extends z.ZodType>(path: string, schema: S): Promise<z.infer<S>>;
  /** Any status. Rejects with MailFailure without an answer. */
  post(path: string, body: object): Promise<{ readonly status: number }>;
};

/** Rejects with MailFailure, which is final if Google refuses the refresh token. */
export async function gmailApi(
  { clientId, clientSecret, refreshToken }: GmailCredentials,
  { policy, googleApiBase }: OutboundMailConfig,
  signal: AbortSignal,
): Promise<GmailApi> {
  async function ask(url: string, init: OutboundInit): Promise<GuardedResponse> {
    try {
      const limits = { bodyBytes: BODY_BYTES_MAX };
      return await guardedFetch(url, { ...init, limits, signal }, policy);
    } catch (error) {
      throw mailFailure(signal.aborted ? signal.reason : error, GOOGLE);
    }
  }

  async function read<S extends z.ZodType>(answer: GuardedResponse, schema: S) {
    try {
      return schema.parse(JSON.parse(await answer.text()));
    } catch (error) {
      throw mailFailure(signal.aborted ? signal.reason : error, GOOGLE);
    }
  }

  const tokens = await ask(`${googleApiBase ?? TOKEN_BASE}/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      client_id: clientId,
      client_secret: clientSecret,
      refresh_token: refreshToken,
      grant_type: 'refresh_token',
    }).toString(),
  });
  if (tokens.status === 400 || tokens.status === 401) {
    tokens.discard();
    throw new MailFailure('wrong-password', 'Google did not accept the refresh token.', {
      isFinal: true,
    });
  }
  const { access_token } = await read(checked(tokens), Token);
  const base = `${googleApiBase ?? API_BASE}/gmail/v1/users/me`;
  const authorization = `Bearer ${access_token}`;
  return {
    get: async (path, schema) =>
      read(checked(await ask(`${base}${path}`, { headers: { authorization } })), schema),
    async post(path, body) {
      const headers = { authorization, 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify(body) };
      const answer = await ask(`${base}${path}`, init);
      answer.discard();
      return { status: answer.status };
    },
  };
}

function checked(answer: GuardedResponse): GuardedResponse {
  if (answer.status >= 200 && answer.status < 300) return answer;
  answer.discard();
  if (answer.status === 401 || answer.status === 403) {
    const sentence = 'Google did not allow access to this mailbox.';
    // Google reports exceeded daily limits the same way.
    throw new MailFailure('not-allowed', sentence);
  }
  throw new MailFailure('protocol', `Google answered with the status ${answer.status}.`);
}

/** Failures after which nothing was sent. */
const NOT_SENT: ReadonlySet<string> = new Set(['connect', 'dns', 'tls', 'host-refused']);

/** Sends a message by Gmail's API. Rejects with MailFailure before anything was handed over. */
export async function sendByGmail(
  message: SendMailOptions,
  { threadId }: { readonly threadId: string | null },
  credentials: GmailCredentials,
  outbound: OutboundMailConfig,
  { times, signal: stop }: { readonly times: SmtpTimes; readonly signal: AbortSignal },
): Promise<Outcome> {
  const { createTransport } = await import('nodemailer');
  const signal = withDeadline(stop, times.totalMs);
  const composer = createTransport({ streamTransport: true, buffer: true });
  const { message: bytes } = await composer.sendMail(message);
  const raw = Buffer.from(bytes as Buffer).toString('base64url');
  const api = await gmailApi(credentials, outbound, signal);
  try {
    const { status } = await api.post('/messages/send', { raw, ...(threadId ? { threadId } : {}) });
    return outcomeOf(status);
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error;
    const kind = NOT_SENT.has(error.code) ? 'undelivered' : 'uncertain';
    return { kind, reason: error.message };
  }
}

function outcomeOf(status: number): Outcome {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  const reason = `Google answered with the status ${status}.`;
  // Rate limits and outages: nothing was sent. Other faults leave that open.
  if (status === 401 || status === 403 || status === 429 || status === 503) {
    return { kind: 'undelivered', reason };
  }
  return { kind: status >= 500 ? 'uncertain' : 'refused', reason };
}
