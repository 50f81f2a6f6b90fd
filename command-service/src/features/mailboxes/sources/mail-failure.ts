import {
  failureOf,
  OutboundFailed,
  OutboundRefused,
} from '@tallyhand/agent-runtime/guard/outbound-errors';

/** Why a mail server could not be used. The message is a sentence for a person, without secrets. */
export class MailFailure extends Error {
  readonly code: string;
  /** Retrying is useless until a person acts. */
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

/** Translates errors of libraries and of the guard. `host` names the server. */
export function mailFailure(error: unknown, host: string): MailFailure {
  if (error instanceof MailFailure) return error;
  if (isTimeout(error)) return new MailFailure('timeout', `${host} did not answer in time.`);
  const certificate = CERTIFICATES[codeOf(error) ?? ''];
  if (certificate) {
    const sentence = `The certificate of ${host} is not accepted: ${certificate}.`;
    return new MailFailure('certificate', sentence);
  }
  const failure = error instanceof OutboundRefused ? error : failureOf(known(error), host);
  if (failure instanceof OutboundFailed) return new MailFailure(failure.kind, failure.message);
  return new MailFailure('host-refused', failure.message, { isFinal: true });
}

const isTimeout = (error: unknown) =>
  error instanceof DOMException && error.name === 'TimeoutError';

/** The mail libraries' own codes, as socket codes. */
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

const UNKNOWN_ISSUER = 'no authority that is trusted here issued it';

/** What is wrong with a certificate, by TLS error code. */
const CERTIFICATES: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_ISSUER,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  CERT_REVOKED: 'it was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another name',
};

/** The socket's code, even if a library has replaced it by its own. */
function codeOf(error: unknown): string | undefined {
  const { code, originalCode } = (error ?? {}) as { code?: unknown; originalCode?: unknown };
  return [originalCode, code].find((one) => typeof one === 'string');
}

function known(error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined) return error;
  return Object.assign(new Error('', { cause: error }), { code: CODES[code] ?? code });
}
