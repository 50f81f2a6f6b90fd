import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import tls from 'node:tls';
import { parentPort, workerData } from 'node:worker_threads';

/*
 * A thread that receives syslog with the given certificate and reports its port. It closes each
 * connection as soon as TLS has ended, without a goodbye of its own.
 */
const connections = new Map<number | undefined, Socket>();
const server = tls.createServer(workerData, (secure) => {
  secure
    .on('error', () => {})
    .on('end', () => connections.get(secure.remotePort)?.destroy())
    .resume();
});
server.on('connection', (connection: Socket) => connections.set(connection.remotePort, connection));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
parentPort?.postMessage((server.address() as AddressInfo).port);
