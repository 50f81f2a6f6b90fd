/** A place in a trace, as W3C Trace Context names it: ids in hexadecimal, never all zeros. */
export type TraceContext = {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
};

/** Where a span belongs: below another one, or at the beginning of its trace. */
export type Parent = { readonly traceId: string; readonly spanId: string | null };

/** A later version may add parts at the end; 00 has none. */
const TRACEPARENT =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const UUID = /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/;
const SAMPLED = 1;

/** The content of a `traceparent` header; null if invalid. */
export function parseTraceparent(header: unknown): TraceContext | null {
  const [, version, traceId, spanId, flags, more] =
    typeof header === 'string' ? (TRACEPARENT.exec(header) ?? []) : [];
  if (!traceId || !spanId || !flags || (version === '00' && more)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export const traceparentOf = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

/** The trace of this correlation id; null if the id is not a valid one. */
export const traceIdOf = (correlationId: string): string | null =>
  UUID.test(correlationId) ? correlationId.replaceAll('-', '') : null;

/** The correlation id of all that belongs to a trace. */
export const correlationIdOf = ({ traceId }: Pick<TraceContext, 'traceId'>): string =>
  traceId.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

/**
 * The span of an event's append: any process can derive it from the event, which does not contain
 * it.
 */
export const spanIdOf = (eventId: string): string => eventId.replaceAll('-', '').slice(-16);
