import { randomBytes } from 'node:crypto';
import type { Collector, ReceivedSpan } from '@tallyhand/service-kit/tracing/testing/collector';

/** A trace as a browser begins it. */
export function newTrace() {
  const traceId = randomBytes(16).toString('hex');
  const headerOf = (spanId: string) => ({ traceparent: `00-${traceId}-${spanId}-00` });
  return { traceId, headerOf };
}

/** What the collector has of one trace. */
export function traceIn({ spans }: Pick<Collector, 'spans'>, traceId: string) {
  const own = () => spans.filter((span) => span.traceId === traceId);
  return {
    spans: own,
    /** The span's own name, then those above it up to the first; null where there is no such span. */
    pathOf(name: string): readonly string[] | null {
      const known = own();
      const path: ReceivedSpan[] = [];
      let at = known.find((span) => span.name === name);
      for (; at; at = known.find(({ spanId }) => spanId === at?.parentSpanId)) path.push(at);
      return path.length > 0 ? path.map((span) => span.name) : null;
    },
  };
}

/** A span's attributes by name. */
export const attributesOf = ({ attributes }: ReceivedSpan) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]),
  );
