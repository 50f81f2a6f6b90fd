import { getCurrentUser } from '@tallyhand/contracts/features/identity/identity.endpoints';
import { type Collector, startCollector } from '@tallyhand/service-kit/tracing/testing/collector';
import { apiClient } from '@tallyhand/test-kit/api-client';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { migrate } from '../application/migrate.ts';
import {
  environmentOf,
  type ServiceProcess,
  serviceProcess,
} from '../testing/instances/service-process.ts';
import { testConfig } from '../testing/product.ts';

const parts = new AsyncDisposableStack();
let collector: Collector;
let service: ServiceProcess;

beforeAll(async () => {
  collector = parts.use(await startCollector());
  const tracing = { endpoint: collector.endpoint, ratio: 1 };
  const config = parts.use(await testConfig({ tracing }));
  await migrate(config.databaseUrl, config.masterKey);
  const settings = environmentOf(config) ?? expect.fail('Settings can express it');
  service = parts.use(
    await serviceProcess('query-service', { ...settings, COMMAND_SERVICE_URL: config.publicUrl }),
  );
});
beforeEach(async () => {
  collector.answerWith();
  await service.start();
});
afterAll(() => parts.disposeAsync());

const call = () => apiClient(`http://127.0.0.1:${service.port}`).call(getCurrentUser);
const spansOf = ({ headers }: { readonly headers: Headers }) => {
  const traceId = headers.get('tallyhand-correlation-id')?.replaceAll('-', '');
  return () => collector.spans.filter((span) => span.traceId === traceId);
};

it('a separate service process sends its spans, under its name, and the last ones when it ends', async () => {
  const first = spansOf(await call());
  await vi.waitFor(() => expect(first()).toMatchObject([{ kind: 2 }]));
  const named = '{"key":"service.name","value":{"stringValue":"query-service"}}';
  expect(collector.texts.join()).toContain(named);
  const last = spansOf(await call());
  expect(await service.stop()).toBe(0);
  expect(last()).toHaveLength(1);
});

it('a collector that hangs does not hold up its end', async () => {
  collector.answerWith(() => {});
  await call();
  expect(await service.stop()).toBe(0);
});
