import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { parseAllowedHosts } from '@tallyhand/agent-runtime/guard/allowed-hosts';
import { certificateAuthority } from '@tallyhand/test-kit/certificates';
import { expect, it } from 'vitest';
import { sendToSyslog } from './send-to-syslog.ts';

const TIMES = 200;

const record = {
  severity_id: 1,
  metadata: { event_code: 'AgentCreated', original_time: '2026-01-01T00:00:00.000Z' },
} as Parameters<typeof sendToSyslog>[1][number];

it('counts as received what a receiver has that closes at once, without a goodbye', async () => {
  using authority = certificateAuthority();
  const file = new URL('./testing/closing-receiver.worker.ts', import.meta.url);
  const receiver = new Worker(file, { workerData: authority.issue('DNS:localhost') });
  await using _receiver = { [Symbol.asyncDispose]: async () => void (await receiver.terminate()) };
  const [port] = await once(receiver, 'message');
  const destination = {
    url: new URL(`tls://localhost:${port}`),
    certificateAuthority: authority.cert,
    from: 'tallyhand.example',
  };
  const policy = { allowedHosts: parseAllowedHosts('127.0.0.1,localhost'), ownOrigins: [] };
  const signal = new AbortController().signal;
  const failures: (string | null)[] = [];
  for (let n = 0; n < TIMES; n += 1) {
    failures.push(await sendToSyslog(destination, [record], policy, signal));
  }
  expect(failures).toEqual(Array(TIMES).fill(null));
});
