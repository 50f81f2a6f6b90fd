export type RefusalReason =
  | 'url'
  | 'scheme'
  | 'user-info'
  | 'host-form'
  | 'private-address'
  | 'own-origin'
  | 'header'
  | 'method'
  | 'redirect';

/**
 * A request that must not be made. Nothing was sent to the refused destination. The message can be
 * shown to members: no paths, queries, headers or resolved addresses.
 */
export class OutboundRefused extends Error {
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, message: string) {
    super(message);
    this.name = 'OutboundRefused';
    this.reason = reason;
  }
}

export type FailureKind =
  | 'aborted'
  | 'timeout'
  | 'too-large'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'closed'
  | 'protocol'
  | 'redirects';

/**
 * An allowed request that failed. It has no cause: errors of HTTP clients contain requests, and
 * those contain secrets.
 */
export class OutboundFailed extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string) {
    super(message);
    this.name = 'OutboundFailed';
    this.kind = kind;
  }
}

/** Called when a request was answered, failed or was refused. */
export type OnOutbound = (
  outcome: 'answered' | 'failed' | 'refused',
  reason: 'none' | FailureKind | RefusalReason,
) => void;

/** Reports a request that ended with an error. */
export function reportFailure(error: unknown, onOutbound: OnOutbound | undefined): void {
  if (error instanceof OutboundRefused) onOutbound?.('refused', error.reason);
  if (error instanceof OutboundFailed) onOutbound?.('failed', error.kind);
}

/**
 * Translates an error of the HTTP client, the socket or the decompression; `host` names the peer.
 */
export function failureOf(error: unknown, host: string): OutboundFailed | OutboundRefused {
  if (error instanceof OutboundFailed || error instanceof OutboundRefused) return error;
  const kind = kindOf(codesOf(error));
  return new OutboundFailed(kind, sentences[kind](host));
}

const sentences: Record<FailureKind, (host: string) => string> = {
  aborted: () => 'The request was cancelled.',
  timeout: (host) => `${host} did not answer in time.`,
  'too-large': (host) => `${host} sent more than is accepted.`,
  dns: (host) => `The name ${host} could not be resolved.`,
  connect: (host) => `No connection to ${host} could be made.`,
  tls: (host) => `No secure connection to ${host} could be made.`,
  closed: (host) => `${host} closed the connection before its answer was complete.`,
  protocol: (host) => `${host} sent an answer that could not be read.`,
  redirects: (host) => `${host} redirected too many times.`,
};

/** A failure of this kind with its usual sentence. */
export function outboundFailure(kind: FailureKind, host: string): OutboundFailed {
  return new OutboundFailed(kind, sentences[kind](host));
}

function kindOf(codes: string[]): FailureKind {
  const some = (pattern: RegExp) => codes.some((code) => pattern.test(code));
  if (some(/^UND_ERR_HEADERS_OVERFLOW$|^HPE_HEADER_OVERFLOW$/)) return 'too-large';
  if (some(/TIMEOUT$|^ETIMEDOUT$/)) return 'timeout';
  if (some(/^ENOTFOUND$|^EAI_|^ENODATA$/)) return 'dns';
  if (some(/^ECONNREFUSED$|^E(?:HOST|NET)UNREACH$|^EADDRNOTAVAIL$|^EACCES$|^EPERM$/))
    return 'connect';
  if (some(/^ERR_(?:TLS|SSL)_|CERT|SIGNATURE|^EPROTO$/)) return 'tls';
  if (some(/^UND_ERR_SOCKET$|^ECONNRESET$|^EPIPE$|CONTENT_LENGTH_MISMATCH$/)) return 'closed';
  return 'protocol';
}

/** The codes along the chain of causes, those of attempts at several addresses included. */
function codesOf(error: unknown): string[] {
  const codes: string[] = [];
  const open: unknown[] = [error];
  for (let seen = 0; seen < 20; seen += 1) {
    const one = open.shift();
    if (!(one instanceof Error)) continue;
    if ('code' in one && typeof one.code === 'string') codes.push(one.code);
    open.push(one.cause, ...(one instanceof AggregateError ? one.errors.slice(0, 5) : []));
  }
  return codes;
}
