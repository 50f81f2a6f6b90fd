import { testLog } from '@tallyhand/test-kit/cases';
import { expect, it } from 'vitest';
import { createHttpApp } from './app.ts';

it('a call whose caller has hung up has an empty address', async () => {
  const app = await createHttpApp({
    publicUrl: 'http://127.0.0.1',
    trustProxy: false,
    rateLimitScale: 1,
    log: testLog,
  });
  app.get('/here', async ({ ip }) => ({ ip }));
  // As of a socket that was closed before its call was looked at.
  app.server.on('connection', (socket) =>
    Object.defineProperty(socket, 'remoteAddress', { value: undefined }),
  );
  const address = await app.listen({ host: '127.0.0.1', port: 0 });
  const answer = await fetch(`${address}/here`);
  expect([answer.status, await answer.json()]).toEqual([200, { ip: '' }]);
  await app.close();
});
