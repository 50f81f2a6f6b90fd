import type { Log } from '../log.ts';
import { headersOf, type Settings } from '../settings.ts';
import { useTracer } from './tracing.ts';

export type TracingSettings = {
  /** Where spans go. */
  readonly endpoint: string;
  /** Sent with them, as the collector's key. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The share of traces that is kept. */
  readonly ratio: number;
};

/** Undefined where nothing is traced. */
export const tracingOf = (settings: Settings): TracingSettings | undefined =>
  settings.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
    ? undefined
    : {
        endpoint: settings.OTEL_EXPORTER_OTLP_ENDPOINT,
        headers: headersOf(settings.OTEL_EXPORTER_OTLP_HEADERS ?? '') ?? undefined,
        ratio: Number(settings.OTEL_TRACES_SAMPLER_ARG ?? 1),
      };

/** Traces this process until disposed of. Without settings no tracing code is loaded. */
export async function startTracing(
  tracing: TracingSettings | undefined,
  service: string,
  log: Log,
): Promise<AsyncDisposable> {
  await using starting = new AsyncDisposableStack();
  if (!tracing) return starting.move();
  const { openTelemetryTracer } = await import('./open-telemetry.ts');
  const { followChannels } = await import('./channels.ts');
  const tracer = starting.use(openTelemetryTracer({ ...tracing, service, log }));
  starting.use(useTracer(tracer));
  starting.use(followChannels());
  return starting.move();
}
