import {
  failureOf,
  OutboundFailed,
  OutboundRefused,
} from '@tallyhand/agent-runtime/guard/outbound-errors';

/** Why a mail server could not be used. The message is a sentence for a person, without secrets. */
export class MailFailure extends Error {
  readonly code: string;
  /** Trying again changes nothing until somebody does. */
  readonly isFinal: boolean;

  constructor(code: string, message: string, { isFinal = false } = {}) {
    super(message);
    this.name = 'MailFailure';
    this.code = code;
    this.isFinal = isFinal;
  }
}

export const wrongPassword = (host: string) =>
  new MailFailure('wrong-password', `${host} did not accept the user name and password.`, {
    isFinal: true,
  });

/** What an error of a library or of the guard means; `host` names the server. */
export function mailFailure(error: unknown, host: string): MailFailure {
  if (error instanceof MailFailure) return error;
  if (isTimeout(error)) return new MailFailure('timeout', `${host} did not answer in time.`);
  const failure = error instanceof OutboundRefused ? error : failureOf(known(error), host);
  if (failure instanceof OutboundFailed) return new MailFailure(failure.kind, failure.message);
  return new MailFailure('host-refused', failure.message, { isFinal: true });
}

const isTimeout = (error: unknown) =>
  error instanceof DOMException && error.name === 'TimeoutError';

/** Names that the libraries of mail give to what the sockets' own codes say otherwise. */
const CODES: Readonly<Record<string, string>> = {
  NoConnection: 'ECONNRESET',
  EConnectionClosed: 'ECONNRESET',
  ClosedAfterConnectTLS: 'ECONNRESET',
  ClosedAfterConnectText: 'ECONNRESET',
  UPGRADE_TIMEOUT: 'ETIMEDOUT',
  GREETING_TIMEOUT: 'ETIMEDOUT',
  GREEETING_TIMEOUT: 'ETIMEDOUT',
  ETIMEOUT: 'ETIMEDOUT',
  ECONNECTION: 'ECONNREFUSED',
  ESOCKET: 'ECONNREFUSED',
  EDNS: 'ENOTFOUND',
  ETLS: 'EPROTO',
  LiteralTooLarge: 'UND_ERR_HEADERS_OVERFLOW',
  ResponseTooLarge: 'UND_ERR_HEADERS_OVERFLOW',
  LineTooLarge: 'UND_ERR_HEADERS_OVERFLOW',
};

function known(error: unknown): unknown {
  const { code } = (error ?? {}) as { code?: unknown };
  const other = typeof code === 'string' ? CODES[code] : undefined;
  return other ? Object.assign(new Error('', { cause: error }), { code: other }) : error;
}
