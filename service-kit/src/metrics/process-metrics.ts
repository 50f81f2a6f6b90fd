import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Metric } from './instruments.ts';

const NANOSECONDS = 1e9;
/** Each look wakes an idle process. */
const RESOLUTION_MS = 100;

/** Metrics of the process; `close` stops measuring its event loop. */
export function processMetrics(): { metrics(): Metric[]; close(): void } {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  return {
    metrics() {
      const { rss, heapUsed } = process.memoryUsage();
      const { user, system } = process.cpuUsage();
      const lag = { mean: delay.mean, p99: delay.percentile(99), max: delay.max };
      delay.reset();
      return [
        gauge('process_resident_memory_bytes', 'Memory that the process holds.', rss),
        gauge('nodejs_heap_size_used_bytes', 'Memory that objects take.', heapUsed),
        {
          name: 'process_cpu_seconds_total',
          help: 'Processor time used.',
          type: 'counter',
          samples: [{ value: (user + system) / 1e6 }],
        },
        {
          name: 'nodejs_eventloop_lag_seconds',
          help: 'How late the event loop was since these figures were last read.',
          type: 'gauge',
          samples: Object.entries(lag).map(([stat, value]) => ({
            labels: { stat },
            value: lateSeconds(value),
          })),
        },
      ];
    },
    close: () => delay.disable(),
  };
}

const gauge = (name: string, help: string, value: number): Metric => ({
  name,
  help,
  type: 'gauge',
  samples: [{ value }],
});

/** The histogram covers the time between two scrapes, and is NaN if it is empty. */
const lateSeconds = (nanoseconds: number) =>
  Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS / 1_000) : 0;
