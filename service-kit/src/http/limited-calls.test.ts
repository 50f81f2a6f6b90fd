import { describe, expect, it } from 'vitest';
import type { Log } from '../log.ts';
import { instrumentMetrics } from '../metrics/instruments.ts';
import { createHttpApp } from './app.ts';

const ignored = () => undefined;

describe('calls that are refused because there are too many', () => {
  it('are one line of the log, with counts and without addresses, and are counted', async () => {
    const lines: unknown[] = [];
    const log: Log = {
      info: ignored,
      error: ignored,
      warn: (message, fields) => lines.push({ message, ...fields }),
    };
    const settings = { publicUrl: 'http://localhost', trustProxy: false, log };
    const app = await createHttpApp({ ...settings, rateLimitScale: 1 / 3_000 });
    app.get('/things/:id', async () => 'here');
    const call = (remoteAddress: string) => app.inject({ url: '/things/7', remoteAddress });
    const statuses: number[] = [];
    for (const address of ['198.51.100.1', '198.51.100.2']) {
      for (let turn = 0; turn < 3; turn += 1) statuses.push((await call(address)).statusCode);
    }
    expect(statuses).toEqual([200, 429, 429, 200, 429, 429]);
    expect(lines).toEqual([]);
    await app.close();
    expect(lines).toEqual([
      {
        message: 'calls were refused: too many',
        calls: 4,
        addresses: 2,
        routes: { 'GET /things/:id': 4 },
      },
    ]);
    const counted = instrumentMetrics().find(
      ({ name }) => name === 'tallyhand_rate_limited_requests_total',
    );
    const labels = { method: 'GET', route: '/things/:id' };
    // What other tests of this process were refused is counted, too.
    const own = counted?.samples.filter((sample) => sample.labels?.route === labels.route);
    expect(own).toEqual([expect.objectContaining({ labels, value: 4 })]);
  });
});
