import { counter } from './metrics/counter.ts';

/** One JSON object per line; `fields` never hold secrets or personal data. */
export type Log = {
  info(message: string, fields?: Record<string, unknown>): void;
  warn(message: string, fields?: Record<string, unknown>): void;
  error(message: string, fields?: Record<string, unknown>): void;
};

const ORDER = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

export type LogLevel = (typeof ORDER)[number];

const lines = counter({
  name: 'tallyhand_log_lines_total',
  help: 'Lines of the log by level, those too that LOG_LEVEL leaves out.',
  known: [{ level: 'warn' }, { level: 'error' }],
});

/** Writes to standard error; lines below `level` are omitted. */
export function jsonLog(service: string, level: LogLevel): Log {
  const write = (at: LogLevel, message: string, fields: Record<string, unknown> = {}) => {
    lines.add({ level: at });
    if (ORDER.indexOf(at) < ORDER.indexOf(level)) return;
    const line = { time: new Date().toISOString(), level: at, service, message, ...fields };
    process.stderr.write(`${JSON.stringify(line)}\n`);
  };
  return {
    info: (message, fields) => write('info', message, fields),
    warn: (message, fields) => write('warn', message, fields),
    error: (message, fields) => write('error', message, fields),
  };
}

/** An error as fields of a log line. */
export function errorFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  return { error: error.message, stack: error.stack };
}

/**
 * Keeps the process alive when its terminal or pipe is closed: that output is lost. Without it the
 * next log line would end the process.
 */
export function surviveClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}
