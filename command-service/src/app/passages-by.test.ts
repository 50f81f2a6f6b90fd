import { EngineFailure } from '@tallyhand/agent-runtime/engine';
import { START } from '@tallyhand/service-kit/event-store/position';
import { describe, expect, it } from 'vitest';
import type { Kit } from '../kit/app.ts';
import { sharedQueues } from '../kit/queues.ts';
import { passagesBy } from './work.ts';

describe('a search for passages', () => {
  it('gives up its turn when its caller leaves while waiting', async () => {
    const queues = sharedQueues();
    const { retrieval } = queues;
    const release = Promise.withResolvers<void>();
    const busy = Array.from({ length: retrieval.limits.concurrencyPerOrganization }, () =>
      retrieval.run('one', () => release.promise),
    );
    // Nothing is searched: neither the database nor a model is used.
    const find = passagesBy({ pool: {}, queues } as unknown as Kit, {
      meaningOf: async () => null,
    });
    const leaving = new AbortController();
    const found = find('one', ['article'], 'When is it open?', {
      since: START,
      signal: leaving.signal,
    });
    leaving.abort();
    await expect(found).rejects.toThrow(EngineFailure);
    release.resolve();
    await Promise.all(busy);
    expect(retrieval.free).toBe(retrieval.limits.concurrency);
  });

  it('uses the model that was chosen at its position', async () => {
    const pool = { query: async () => ({ rows: [] }) };
    const asked: unknown[] = [];
    const find = passagesBy({ pool, queues: sharedQueues() } as unknown as Kit, {
      meaningOf: async (...asks) => {
        asked.push(asks);
        return null;
      },
    });
    const since = { commit: 7n, prepare: 7n };
    expect(await find('one', ['article'], 'When is it open?', { since })).toEqual([]);
    expect(asked).toEqual([['one', 'When is it open?', since]]);
  });
});
