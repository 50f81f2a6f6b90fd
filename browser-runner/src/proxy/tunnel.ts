import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  addressesOf,
  type OutboundPolicy,
  readUrl,
} from '@tallyhand/agent-runtime/guard/destination';
import { pinnedTo } from '@tallyhand/agent-runtime/guard/guarded-fetch';
import {
  failureOf,
  OutboundRefused,
  outboundFailure,
  tellFailure,
} from '@tallyhand/agent-runtime/guard/outbound-errors';
import { hostOf, portOf } from '@tallyhand/agent-runtime/guard/own-origins';
import type { ProxyClient, ProxyLimits } from './proxy-client.ts';

/**
 * CONNECT: https and WebSockets. The browser cannot be shown an error page here, but `takeRefusal`
 * returns the reason.
 */
export async function tunnel(
  authority: string,
  browser: Duplex,
  head: Buffer,
  client: ProxyClient,
  policy: OutboundPolicy,
  limits: ProxyLimits,
): Promise<void> {
  const gone = new AbortController();
  browser.once('close', () => gone.abort());
  try {
    const url = readUrl(`https://${authority}`);
    const addresses = await addressesOf(url, policy, gone.signal);
    const peer = connect({
      host: hostOf(url),
      port: portOf(url),
      lookup: pinnedTo(addresses),
    });
    client.holds(peer);
    gone.signal.addEventListener('abort', () => peer.destroy());
    await connected(peer, hostOf(url), limits.connectMs);
    policy.hear?.('answered', 'none');
    browser.write('HTTP/1.1 200 Connection established\r\n\r\n');
    const meter = client.meter(hostOf(url), true);
    const isCutOff = (count: number, isAnswer: boolean) => {
      const sentence = meter(count, isAnswer);
      if (sentence !== undefined) client.refused(authority, sentence);
      return sentence !== undefined;
    };
    join(browser, peer, head, isCutOff, limits);
  } catch (error) {
    if (gone.signal.aborted) return;
    const failure = failureOf(error, authority);
    tellFailure(failure, policy.hear);
    client.refused(authority, failure.message);
    const status = failure instanceof OutboundRefused ? '403 Forbidden' : '502 Bad Gateway';
    browser.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
  }
}

async function connected(peer: Socket, host: string, timeoutMs: number): Promise<void> {
  const done = Promise.withResolvers<void>();
  const timer = setTimeout(() => peer.destroy(outboundFailure('timeout', host)), timeoutMs);
  peer.once('connect', () => done.resolve());
  peer.on('error', done.reject);
  peer.once('close', () => done.reject(outboundFailure('closed', host)));
  try {
    await done.promise;
  } finally {
    clearTimeout(timer);
  }
}

function join(
  browser: Duplex,
  peer: Socket,
  head: Buffer,
  isCutOff: (count: number, isAnswer: boolean) => boolean,
  { idleMs }: ProxyLimits,
) {
  const end = () => {
    browser.destroy();
    peer.destroy();
  };
  browser.on('data', ({ length }: Buffer) => isCutOff(length, false) && end());
  peer.on('data', ({ length }: Buffer) => isCutOff(length, true) && end());
  for (const one of [browser, peer]) one.once('close', end);
  peer.setTimeout(idleMs, end);
  if (head.length > 0) peer.write(head);
  browser.pipe(peer);
  peer.pipe(browser);
}
