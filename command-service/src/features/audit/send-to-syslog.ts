import { isIP } from 'node:net';
import tls from 'node:tls';
import { guardedLookup, type OutboundPolicy } from '@tallyhand/agent-runtime/guard/destination';
import { failureOf, outboundFailure } from '@tallyhand/agent-runtime/guard/outbound-errors';
import type { OcsfRecord } from './ocsf.ts';

/** Of syslog over TLS (RFC 5425). */
const SYSLOG_PORT = 6514;
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

/**
 * Sends records over a connection of their own and closes it. Syslog has no acknowledgement: a
 * receiver that has read everything closes its side too, and only then the promise resolves. Rejects
 * with OutboundFailed or OutboundRefused.
 */
export async function sendToSyslog(
  { url, certificateAuthority, from }: Destination,
  records: readonly OcsfRecord[],
  policy: OutboundPolicy,
  signal: AbortSignal,
): Promise<void> {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = Number(url.port || SYSLOG_PORT);
  const bytes = records.map((record) => messageOf(record, from)).join('');
  const [checked] = await guardedLookup(host, port, policy, signal);
  if (!checked) throw outboundFailure('dns', host);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = tls.connect({
    host: checked.address,
    port,
    minVersion: 'TLSv1.2',
    ...(isIP(host) === 0 && { servername: host }),
    // The name is checked against the certificate, also where it is an address.
    checkServerIdentity: (_, certificate) => tls.checkServerIdentity(host, certificate),
    ...(certificateAuthority !== undefined && { ca: certificateAuthority }),
  });
  const begunAt = performance.now();
  let goodbye: NodeJS.Timeout | undefined;
  let isSaid = false;
  let isRead = false;
  const stop = () => socket.destroy(outboundFailure('timeout', host));
  signal.addEventListener('abort', stop, { once: true });
  socket
    .once('secureConnect', () => {
      // A receiver that closes before it has read anything may do so while the records are on their
      // way. Connecting took longer than that way and back, so its end arrives within this pause.
      const pauseMs = performance.now() - begunAt;
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
    .once('close', () => (isRead ? resolve() : reject(outboundFailure('closed', host))))
    // Its answers mean nothing, but must be read for its end to be seen.
    .resume();
  try {
    await promise;
  } catch (error) {
    throw failureOf(error, host);
  } finally {
    clearTimeout(goodbye);
    signal.removeEventListener('abort', stop);
    socket.destroy();
  }
}
