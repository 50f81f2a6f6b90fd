import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Parent,
  parseTraceparent,
  type TraceContext,
  traceIdOf,
  traceparentOf,
} from './trace-context.ts';

/** Templates, kinds, counts, and ids of organizations and objects: no text written by people. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export type SpanOptions = {
  /** Internal without it. */
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** Its own id where others must be able to derive it; a random one without. */
  readonly spanId?: string;
  /** When it began, in milliseconds; now without it. */
  readonly startedAt?: number;
};

export type Span = {
  readonly context: TraceContext;
  set(attributes: Attributes): void;
  /** Notes of which class the error was. Its words are left out: they may hold anything. */
  fail(error?: unknown): void;
  end(): void;
};

/** Makes spans; `parent` null begins a trace. */
export type Tracer = {
  begin(name: string, parent: Parent | null, options: SpanOptions): Span;
};

/** Of the whole process, as its log is. Without one nothing below does or costs anything. */
let tracer: Tracer | null = null;

/** The current span. Node's diagnostics channels are bound to it. */
export const traceContexts = new AsyncLocalStorage<TraceContext | undefined>();

/** From now on spans are made by it, until disposed of. */
export function useTracer(own: Tracer): Disposable {
  tracer = own;
  return {
    [Symbol.dispose]() {
      if (tracer === own) tracer = null;
    },
  };
}

export const isTracing = (): boolean => tracer !== null;

/** The place of the current work; null outside of a trace. */
export const currentTrace = (): TraceContext | null =>
  tracer ? (traceContexts.getStore() ?? null) : null;

/** For continuing in another process; null outside of a trace. */
export function currentTraceparent(): string | null {
  const context = currentTrace();
  return context && traceparentOf(context);
}

/** A span that is ended by hand; null where nothing is traced. */
export const beginSpan = (
  name: string,
  parent: Parent | null,
  options: SpanOptions = {},
): Span | null => tracer?.begin(name, parent, options) ?? null;

/** Runs the work as a child of the span. */
export const inSpan = <R>({ context }: Span, work: () => R): R => traceContexts.run(context, work);

/** Does the work as a span below the present one; outside of a trace as if nothing were. */
export function traced<R>(
  name: string,
  options: SpanOptions,
  work: (span: Span | null) => Promise<R>,
): Promise<R> {
  const parent = currentTrace();
  return parent ? spanOver(name, parent, options, work) : work(null);
}

/** Does the work as a span below one of another process, or as the first of a trace. */
export const tracedFrom = <R>(
  parent: Parent | null,
  name: string,
  options: SpanOptions,
  work: (span: Span | null) => Promise<R>,
): Promise<R> => (tracer ? spanOver(name, parent, options, work) : work(null));

/** The same in the trace of a correlation id: below the present span where that belongs to it. */
export function tracedIn<R>(
  correlationId: string,
  name: string,
  options: SpanOptions,
  work: (span: Span | null) => Promise<R>,
): Promise<R> {
  const parent = tracer && parentIn(correlationId, currentTrace());
  return parent ? spanOver(name, parent, options, work) : work(null);
}

/** Below the span if it belongs to the correlation id's trace, otherwise at the trace's root. */
export function parentIn(correlationId: string, span: TraceContext | null): Parent | null {
  const traceId = traceIdOf(correlationId);
  if (traceId === null) return null;
  return span?.traceId === traceId ? span : { traceId, spanId: null };
}

/** A job's place in the trace of its creator: stored with the job. */
export type TracedJob = { readonly traceparent?: string; readonly correlationId?: string };

/** Attaches a job to its trace. */
export function withTrace<J extends object>(job: J): J & TracedJob {
  const traceparent = currentTraceparent();
  return traceparent === null ? job : { ...job, traceparent };
}

/** Runs a job as a span below that of its creator, if there was one. */
export const tracedJob = <R>(
  name: string,
  { traceparent, correlationId = '' }: TracedJob,
  work: () => Promise<R>,
): Promise<R> =>
  tracedFrom(
    parseTraceparent(traceparent) ?? parentIn(correlationId, null),
    name,
    { kind: 'consumer' },
    work,
  );

async function spanOver<R>(
  name: string,
  parent: Parent | null,
  options: SpanOptions,
  work: (span: Span | null) => Promise<R>,
): Promise<R> {
  const span = beginSpan(name, parent, options);
  if (!span) return work(null);
  try {
    return await inSpan(span, () => work(span));
  } catch (error) {
    span.fail(error);
    throw error;
  } finally {
    span.end();
  }
}
