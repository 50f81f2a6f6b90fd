import type { Duplex } from 'node:stream';
import { API_POLICY, securityHeaders } from './security-headers.ts';

/** Ends a connection that requested a WebSocket upgrade, with the headers of every other answer. */
export function refuseUpgrade(socket: Duplex, status: string, publicUrl: string): void {
  const headers = {
    connection: 'close',
    'content-length': '0',
    'cache-control': 'no-store',
    ...securityHeaders(publicUrl, API_POLICY),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  // The refused caller may have left already.
  socket.on('error', () => socket.destroy());
  socket.end([`HTTP/1.1 ${status}`, ...lines, '', ''].join('\r\n'));
}
