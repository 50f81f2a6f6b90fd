import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { parseAllowedHosts } from '@tallyhand/agent-runtime/guard/allowed-hosts';
import { localServer } from '@tallyhand/test-kit/http-server';
import { describe, expect, it } from 'vitest';
import { never, type Pages, servePages } from './fixtures/pages.ts';

/** Every way in which a page can open a connection; the title reports when all have ended. */
const attempts = (target: string) => `<title>Trying</title>
<link rel="stylesheet" href="http://${target}/style"><link rel="preconnect" href="http://${target}">
<link rel="dns-prefetch" href="http://${target}"><link rel="prefetch" href="http://${target}/pre">
<img src="http://${target}/image"><iframe src="http://${target}/frame"></iframe>
<img src="/redirect"><script src="http://${target}/script"></script>
<img src="http://localhost:${target.split(':')[1]}/name">
<object data="http://${target}/object"></object><video src="http://${target}/video"></video>
<form id=f method=post target=w action="http://${target}/form"></form>
<iframe name=w></iframe>
<script>
const ended = (target, ...events) =>
  new Promise((done) => events.forEach((event) => target.addEventListener(event, done)));
const soon = new Promise((done) => setTimeout(done, 1500));
const udp = async () => {
  const peer = new RTCPeerConnection({ iceServers: [
    { urls: 'stun:${target}' },
    { username: 'a', credential: 'b',
      urls: ['turn:${target}?transport=udp', 'turn:${target}?transport=tcp'] },
  ] });
  peer.createDataChannel('x');
  await peer.setLocalDescription(await peer.createOffer());
  window.candidates = [];
  peer.onicecandidate = ({ candidate }) => candidate && candidates.push(candidate.candidate);
  await soon;
};
const web = async () => { const one = new WebTransport('https://${target}/t'); await one.ready; };
const worker = () => new Worker(URL.createObjectURL(new Blob([
  'fetch("http://${target}/worker", { mode: "no-cors" }).finally(() => postMessage(1))'])));
Promise.allSettled([
  fetch('http://${target}/fetch', { mode: 'no-cors' }),
  fetch('/redirect', { mode: 'no-cors' }),
  fetch('https://${target}/tls', { mode: 'no-cors' }),
  ended(new WebSocket('ws://${target}/socket'), 'close'),
  ended(new WebSocket('wss://${target}/socket'), 'close'),
  ended(new EventSource('http://${target}/events'), 'error'),
  ended(worker(), 'message'),
  navigator.sendBeacon('http://${target}/beacon'), f.submit(), soon, udp(),
  typeof WebTransport === 'undefined' ? 0 : web(),
]).then(() => { document.title = 'Tried ' + (window.candidates ?? []).join(); });
</script>`;

async function datagrams(port: number) {
  const socket = createSocket('udp4');
  let count = 0;
  socket.on('message', () => (count += 1));
  socket.bind(port, '127.0.0.1');
  await once(socket, 'listening');
  return { count: () => count, [Symbol.dispose]: () => void socket.close() };
}

const redirectTo =
  (location: string): RequestListener =>
  (_, response) =>
    void response.writeHead(302, { location }).end();

describe.each([
  { what: 'a private address', allowed: false },
  { what: 'our own origin', allowed: true },
])('$what', ({ allowed }) => {
  it('sees no connection, whatever a page tries', async () => {
    await using forbidden = await localServer((_, response) => void response.end('secret'));
    using udp = await datagrams(forbidden.port);
    const target = `127.0.0.1:${forbidden.port}`;
    const pages: Pages = {
      '/': attempts(target),
      '/redirect': redirectTo(`http://${target}/redirected`),
    };
    const own = {
      ownOrigins: [forbidden.origin],
      allowedHosts: parseAllowedHosts('127.0.0.0/8'),
    };
    await using site = await servePages(pages, allowed ? { policy: own } : {});
    await using browser = await site.host.open('one');
    await browser.act({ type: 'open', url: site.origin }, never);
    const title = async () => (await browser.view({ withImage: false }, never))?.title;
    await expect.poll(title).toMatch(/^Tried/);
    // A page must learn neither its own network address nor one that a server saw.
    expect(await title()).not.toMatch(/typ (host|srflx|relay)/);

    const direct = await browser.act({ type: 'open', url: forbidden.origin }, never);
    const led = await browser.act({ type: 'open', url: `${site.origin}/redirect` }, never);
    for (const { success, output } of [direct, led]) {
      expect(success).toBe(false);
      expect(output).toMatch(allowed ? /this service itself/ : /leads to a private address/);
    }
    expect(forbidden.connections).toBe(0);
    expect(udp.count()).toBe(0);
    expect(site.server.requests.map(({ url }) => url)).toContain('/redirect');
  });
});
