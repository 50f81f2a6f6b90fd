import { fakeHost } from '@tallyhand/browser-runner/testing/fake-browser';
import { finish, scriptedPlanner } from '@tallyhand/browser-runner/testing/scripted-planner';
import { METRICS_TYPE } from '@tallyhand/service-kit/metrics/instruments';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OwnProduct, startTestProduct } from '../testing/product.ts';

let product: OwnProduct;
beforeAll(async () => {
  const browser = { host: fakeHost(), planner: scriptedPlanner(finish()) };
  product = await startTestProduct({}, { browser });
});
afterAll(() => product[Symbol.asyncDispose]());

const figures = (headers = {}) => fetch(`${product.url}/metrics/browser-runner`, { headers });

describe('the figures of the browser runner', () => {
  it('are served at an address of the product, on its machine, while one runs', async () => {
    const answer = await figures();
    expect(answer.headers.get('content-type')).toBe(METRICS_TYPE);
    const text = await answer.text();
    for (const name of ['tallyhand_runner_sessions', 'process_resident_memory_bytes']) {
      expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
    }
    // Those are the product's own.
    expect(text).not.toContain('tallyhand_database_up');
    expect((await figures({ 'x-forwarded-for': '203.0.113.7' })).status).toBe(404);
    const runner = product.runner ?? expect.fail('There is no runner');
    // The runner itself serves them to internal processes only.
    expect((await fetch(`${runner.address}/metrics`)).status).toBe(401);
    await runner[Symbol.asyncDispose]();
    const none = await figures();
    expect([none.status, await none.text()]).toEqual([200, '']);
  });
});
