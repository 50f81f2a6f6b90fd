import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { derivedId, newId } from '../crypto/ids.ts';
import {
  correlationIdOf,
  parseTraceparent,
  spanIdOf,
  traceIdOf,
  traceparentOf,
} from './trace-context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

describe('a traceparent', () => {
  it('names the trace, the span, and whether the caller recorded it', () => {
    expect(parseTraceparent(`00-${traceId}-${spanId}-01`)).toEqual({
      traceId,
      spanId,
      isSampled: true,
    });
    expect(parseTraceparent(`00-${traceId}-${spanId}-00`)?.isSampled).toBe(false);
    expect(parseTraceparent(`00-${traceId}-${spanId}-fe`)?.isSampled).toBe(false);
  });

  it('may have more parts in a later version', () => {
    expect(parseTraceparent(`01-${traceId}-${spanId}-01-more`)?.traceId).toBe(traceId);
    expect(parseTraceparent(`00-${traceId}-${spanId}-01-more`)).toBeNull();
  });

  it.each([
    ['nothing', undefined],
    ['a list', [`00-${traceId}-${spanId}-01`]],
    ['words', 'trace'],
    ['version ff', `ff-${traceId}-${spanId}-01`],
    ['upper case', `00-${traceId.toUpperCase()}-${spanId}-01`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['a span of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['two of them', `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
    ['a line too many', `00-${traceId}-${spanId}-01\n`],
  ])('is none: %s', (_, header) => {
    expect(parseTraceparent(header)).toBeNull();
  });

  it('is read as it is written', () => {
    const context = { traceId, spanId, isSampled: true };
    expect(parseTraceparent(traceparentOf(context))).toEqual(context);
    const other = { ...context, isSampled: false };
    expect(parseTraceparent(traceparentOf(other))).toEqual(other);
  });
});

describe('the trace of a correlation id', () => {
  it('is the id itself, and can be read back', () => {
    for (const id of [newId(), randomUUID(), correlationIdOf({ traceId })]) {
      expect(correlationIdOf({ traceId: traceIdOf(id) ?? '' })).toBe(id);
    }
    expect(traceIdOf(correlationIdOf({ traceId }))).toBe(traceId);
  });
  it('is null when the id is not a valid one', () => {
    for (const id of ['', 'correlation', traceId, '../../etc/passwd']) {
      expect(traceIdOf(id)).toBeNull();
    }
  });
});

it('the span id of an event derives from its id, and differs from that of any other', () => {
  const ids = Array.from({ length: 100 }, (_, at) => derivedId('event', String(at)));
  const spans = new Set(ids.map(spanIdOf));
  expect(spans.size).toBe(100);
  for (const span of spans) expect(span).toMatch(/^(?!0{16})[0-9a-f]{16}$/);
});
