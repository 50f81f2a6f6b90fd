import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Log } from '../log.ts';
import { startTracing, tracingOf } from './start-tracing.ts';
import { type Collector, startCollector } from './testing/collector.ts';
import { currentTrace, traced, tracedFrom } from './tracing.ts';

/** How long one export may take: work that waited for exports would need many of them. */
const EXPORT_MS = 5_000;
const NOWHERE = 'http://127.0.0.1:1';

let collector: Collector;
let warned: string[];
let log: Log;
beforeEach(async () => {
  collector = await startCollector();
  // Exports of the test before may end later than it.
  const own: string[] = [];
  warned = own;
  log = { info: () => {}, warn: (message) => void own.push(message), error: () => {} };
});
afterEach(() => collector[Symbol.asyncDispose]());

const open = (endpoint = collector.endpoint, ratio = 1) =>
  startTracing({ endpoint, ratio }, 'test', log);
const some = (count: number) =>
  Promise.all(Array.from({ length: count }, () => tracedFrom(null, 'work', {}, async () => {})));
const newTraceId = () => randomBytes(16).toString('hex');

describe('a collector that requires a key', () => {
  it('gets the headers that are set, decoded', async () => {
    const tracing = tracingOf({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=ops, api-key=se%2Ccret=1',
    });
    {
      await using _tracing = await startTracing(tracing, 'test', log);
      await some(1);
    }
    expect(collector.keys).toEqual(['se,cret=1']);
  });
});

describe('spans', () => {
  it('arrive below each other, with times, kinds and attributes', async () => {
    const parent = { traceId: newTraceId(), spanId: '00f067aa0ba902b7' };
    {
      await using _tracing = await open();
      await tracedFrom(parent, 'outer', { kind: 'server' }, () =>
        traced('inner', { attributes: { 'tallyhand.count': 3 } }, async () => {}),
      );
    }
    const [inner, outer] = collector.spans;
    expect(outer).toMatchObject({ traceId: parent.traceId, parentSpanId: parent.spanId, kind: 2 });
    expect(inner).toMatchObject({
      name: 'inner',
      traceId: parent.traceId,
      parentSpanId: outer?.spanId,
      kind: 1,
      attributes: [{ key: 'tallyhand.count', value: { intValue: 3 } }],
    });
    const took = BigInt(inner?.endTimeUnixNano ?? 0) - BigInt(inner?.startTimeUnixNano ?? 0);
    expect(took >= 0n).toBe(true);
  });

  it('of failures report the kind of error, and not its text', async () => {
    {
      await using _tracing = await open();
      const failing = tracedFrom(null, 'work', {}, async () => {
        throw new TypeError('the password is swordfish');
      });
      await expect(failing).rejects.toThrow('swordfish');
    }
    expect(collector.spans).toMatchObject([
      {
        status: { code: 2 },
        attributes: [{ key: 'error.type', value: { stringValue: 'TypeError' } }],
      },
    ]);
    expect(collector.texts.join()).not.toContain('swordfish');
  });

  it('are kept or left out with their whole trace, in every process alike', async () => {
    const traces = Array.from({ length: 200 }, newTraceId);
    const kept = async () => {
      const before = collector.spans.length;
      {
        await using _tracing = await open(collector.endpoint, 0.25);
        for (const traceId of traces) {
          await tracedFrom({ traceId, spanId: null }, 'outer', {}, () =>
            traced('inner', {}, async () => {}),
          );
        }
      }
      const own = collector.spans.slice(before);
      const ids = new Set(own.map(({ traceId }) => traceId));
      expect(own).toHaveLength(2 * ids.size);
      return ids;
    };
    const first = await kept();
    expect(await kept()).toEqual(first);
    expect(first.size).toBeGreaterThan(10);
    expect(first.size).toBeLessThan(100);
  });

  it('are not created, and cost nothing, without an address', async () => {
    await using _tracing = await startTracing(undefined, 'test', log);
    const seen = await tracedFrom(null, 'work', {}, async (span) => [span, currentTrace()]);
    expect(seen).toEqual([null, null]);
    expect(collector.asked()).toBe(0);
  });
});

describe('a collector', () => {
  const answers: [string, (collector: Collector) => string][] = [
    ['that is not there', () => NOWHERE],
    [
      'that hangs',
      ({ endpoint, answerWith }) => {
        answerWith(() => {});
        return endpoint;
      },
    ],
    [
      'that answers 500',
      ({ endpoint, answerWith }) => {
        answerWith((response) => void response.writeHead(500).end('no'));
        return endpoint;
      },
    ],
    ['at another address', ({ endpoint }) => `${endpoint}/elsewhere`],
  ];
  it.each(answers)('%s holds up neither the work nor the end', async (_, endpointOf) => {
    const tracing = await open(endpointOf(collector));
    const started = performance.now();
    // More than may wait.
    await some(10_000);
    expect(performance.now() - started).toBeLessThan(4 * EXPORT_MS);
    const ending = performance.now();
    await tracing[Symbol.asyncDispose]();
    expect(performance.now() - ending).toBeLessThan(EXPORT_MS);
  });

  it('that accepts nothing is reported once, and again when it recovers', async () => {
    collector.answerWith((response) => void response.writeHead(400).end());
    await using _tracing = await open();
    await some(1);
    await vi.waitFor(() => expect(warned).toEqual(['traces are lost']));
    const before = collector.asked();
    await some(1);
    await vi.waitFor(() => expect(collector.asked()).toBeGreaterThan(before));
    collector.answerWith((response) => void response.end('{}'));
    await some(1);
    await vi.waitFor(() =>
      expect(warned).toEqual(['traces are lost', 'traces are accepted again']),
    );
  });
});
