import net, { isIP } from 'node:net';
import { Duplex } from 'node:stream';
import tls from 'node:tls';
import { guardedLookup, type OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { pinnedTo } from '@tallyhand/agent-runtime/guard/guarded-fetch';
import {
  failureOf,
  outboundFailure,
  reportFailure,
} from '@tallyhand/agent-runtime/guard/outbound-errors';
import { portOf } from './log-streams.ts';
import type { OcsfRecord } from './ocsf.ts';

/** "Log audit". */
const FACILITY = 13;
const SEVERITY = { informational: 6, warning: 4 };
const TYPE_LENGTH_MAX = 32;

type Destination = {
  readonly url: URL;
  /** PEM; the usual authorities without one. */
  readonly certificateAuthority: string | undefined;
  /** The name of this server in messages. */
  readonly from: string;
};

/** As ASCII, which every receiver reads: RFC 5424 asks for a byte order mark before UTF-8. */
const asciiJson = (value: unknown) =>
  JSON.stringify(value).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** A message of RFC 5424, with its length before it as RFC 5425 frames messages. */
function messageOf(record: OcsfRecord, from: string): string {
  const severity = record.severity_id > 1 ? SEVERITY.warning : SEVERITY.informational;
  const { event_code: type, original_time: at } = record.metadata;
  const id = type.replace(/[^!-~]/g, '').slice(0, TYPE_LENGTH_MAX) || '-';
  const head = `<${FACILITY * 8 + severity}>1 ${at} ${from} tallyhand - ${id} -`;
  const message = `${head} ${asciiJson(record)}`;
  return `${message.length} ${message}`;
}

/** A receiver that takes longer than this to be reached gets no longer pause. */
const PAUSE_MS_MAX = 1_000;

/**
 * Sends records over a connection of their own and closes it. Returns null, or why that failed, for
 * people. Syslog has no acknowledgement: the records count as received when the receiver closes its
 * side too, after this side and without a reset.
 */
export async function sendToSyslog(
  { url, certificateAuthority, from }: Destination,
  records: readonly OcsfRecord[],
  policy: OutboundPolicy,
  signal: AbortSignal,
): Promise<string | null> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  try {
    const port = portOf(url);
    const addresses = await guardedLookup(host, port, policy, signal);
    const options: tls.ConnectionOptions = {
      host,
      // Half open, because many receivers close as soon as TLS says goodbye: TCP's own comes after it.
      socket: throughStream(
        net.connect({ host, port, lookup: pinnedTo(addresses), allowHalfOpen: true }),
      ),
      minVersion: 'TLSv1.2',
      rejectUnauthorized: true,
      // The name is checked against the certificate, also where it is an address.
      checkServerIdentity: (_, certificate) => tls.checkServerIdentity(host, certificate),
      ...(isIP(host) === 0 && { servername: host }),
      ...(certificateAuthority !== undefined && { ca: certificateAuthority }),
    };
    await deliver(options, records.map((record) => messageOf(record, from)).join(''), signal);
    policy.onOutbound?.('answered', 'none');
    return null;
  } catch (error) {
    const failure = signal.aborted ? outboundFailure('timeout', host) : failureOf(error, host);
    reportFailure(failure, policy.onOutbound);
    return failure.message;
  }
}

/**
 * A connection on which a reset is always an error. Node forgets a failure of the last write of TLS,
 * and with it the reset, when TLS has the connection itself.
 */
function throughStream(connection: net.Socket): Duplex {
  const stream = new Duplex({
    read: () => connection.resume(),
    write: (chunk, _, written) => connection.write(chunk, written),
    final: (ended) => connection.end(ended),
    destroy: (error, destroyed) => {
      connection.destroy();
      destroyed(error);
    },
  });
  connection
    .on('data', (chunk) => stream.push(chunk) || connection.pause())
    .on('end', () => stream.push(null))
    .on('error', (error) => stream.destroy(error));
  return stream;
}

async function deliver(
  options: tls.ConnectionOptions,
  bytes: string,
  signal: AbortSignal,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const begunAt = performance.now();
  const socket = tls.connect(options);
  let goodbye: NodeJS.Timeout | undefined;
  let isSaid = false;
  let isRead = false;
  const stop = () => socket.destroy(new Error('The receiver did not answer in time'));
  signal.addEventListener('abort', stop, { once: true });
  socket
    .once('secureConnect', () => {
      // A receiver that closes before it has read anything may do so while the records are on their
      // way. Connecting took longer than that way and back, so its end arrives within this pause.
      const pauseMs = Math.min(performance.now() - begunAt, PAUSE_MS_MAX);
      socket.write(bytes, () => {
        goodbye = setTimeout(() => {
          isSaid = true;
          socket.end();
        }, pauseMs);
      });
    })
    .once('end', () => {
      isRead = isSaid;
    })
    .once('error', reject)
    .once('close', () =>
      isRead ? resolve() : reject(outboundFailure('closed', options.host ?? '')),
    )
    // Its answers mean nothing, but must be read for its end to be seen.
    .resume();
  try {
    await promise;
  } finally {
    clearTimeout(goodbye);
    signal.removeEventListener('abort', stop);
    socket.destroy();
  }
}
