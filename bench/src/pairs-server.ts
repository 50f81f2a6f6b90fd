import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import type { PairsLeft } from './pairs.ts';

/** Serves one side, tells the parent where, and ends with it. */
export async function servePairs(side: {
  pair(): Promise<void>;
  left(): Promise<PairsLeft>;
}): Promise<void> {
  const app = Fastify();
  app.post('/pairs', async (_request, reply) => {
    await side.pair();
    return reply.code(204).send();
  });
  app.get('/left', () => side.left());
  await app.listen({ host: '127.0.0.1', port: 0 });
  process.once('disconnect', () => process.exit(0));
  process.send?.(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
}
